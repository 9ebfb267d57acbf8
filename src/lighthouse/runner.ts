/**
 * Drives the browser through one audit: a process of its own, because what it reads is made by the page. The browser
 * hangs on a pipe of this process, and ends by itself when this one is gone.
 */
import { join } from 'node:path';
import type { RunnerMessage, RunnerTask } from './messages.ts';

interface Browser {
  newPage(): Promise<unknown>;
  process(): { pid?: number } | null;
}
interface Puppeteer {
  launch(options: object): Promise<Browser>;
}
interface LighthouseModule {
  default(url: string, flags: object, config: object | undefined, page: unknown): Promise<{ lhr: Report } | undefined>;
  desktopConfig: object;
}
type Fields = Readonly<Record<string, unknown>>;
interface Report extends Fields {
  categories: Readonly<Record<string, Fields>>;
  audits: Readonly<Record<string, Fields>>;
}

const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo'];
/** A page that goes on loading is judged by what it has shown by then. */
const MAX_LOAD_MS = 45_000;

/** Neither is an import that the build follows: both may be left out of an installation. */
const load = (name: string): Promise<unknown> => import(name) as Promise<unknown>;

process.on('disconnect', () => process.exit(1));
process.once('message', (message) => {
  audit(message as RunnerTask).then(say, (error: unknown) =>
    say({ fault: 'browser_failed', detail: String((error as Error).stack ?? error) }),
  );
});

function say(message: RunnerMessage): void {
  process.send?.(message);
}

async function audit(wanted: RunnerTask): Promise<RunnerMessage> {
  const modules = await Promise.all([load('lighthouse'), load('puppeteer-core')]).catch((error: unknown) => error);
  if (!Array.isArray(modules)) return { fault: 'engine_missing', detail: String(modules) };
  const [lighthouse, puppeteer] = modules as [LighthouseModule, { default: Puppeteer }];
  const browser = await puppeteer.default.launch(launchOptions(wanted));
  const { pid } = browser.process() ?? {};
  if (pid !== undefined) say({ browserPid: pid });
  const { url, strategy, locale } = wanted.task;
  const flags = {
    output: 'json',
    onlyCategories: CATEGORIES,
    locale,
    logLevel: 'silent',
    maxWaitForLoad: MAX_LOAD_MS,
    disableFullPageScreenshot: true,
  };
  const config = strategy === 'desktop' ? lighthouse.desktopConfig : undefined;
  const ran = await lighthouse.default(url, flags, config, await browser.newPage());
  return ran ? { report: essence(ran.lhr), refused: 0 } : { fault: 'browser_failed', detail: 'no report' };
}

function launchOptions({ task, chromePath, sandbox, folder, proxyPort, systemPath }: RunnerTask): object {
  return {
    executablePath: chromePath,
    pipe: true,
    headless: true,
    userDataDir: join(folder, 'profile'),
    acceptInsecureCerts: !task.verifyTls,
    env: { PATH: systemPath, HOME: folder, TMPDIR: folder },
    args: [...confinedTo(proxyPort), '--disable-dev-shm-usage', '--no-pings', ...(sandbox ? [] : ['--no-sandbox'])],
  };
}

/** No way to the network but the proxy: loopback too goes through it, and the browser itself resolves no name. */
const confinedTo = (proxyPort: number): string[] => [
  `--proxy-server=http://127.0.0.1:${proxyPort}`,
  '--proxy-bypass-list=<-loopback>',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  '--disable-quic',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
];

/** What is read of a report; the rest of it, screenshots and all, is megabytes. */
function essence({ categories, audits, ...rest }: Report): unknown {
  const { lighthouseVersion, fetchTime, finalDisplayedUrl, runtimeError } = rest;
  const scores = mapped(categories, ({ score }) => ({ score }));
  const kept = mapped(audits, (each, id) => {
    const { title, score, numericValue, numericUnit, displayValue, metricSavings } = each;
    const { type, overallSavingsMs } = (each['details'] ?? {}) as Fields;
    const details = { type, overallSavingsMs };
    return { id, title, score, numericValue, numericUnit, displayValue, metricSavings, details };
  });
  return { lighthouseVersion, fetchTime, finalDisplayedUrl, runtimeError, categories: scores, audits: kept };
}

const mapped = <T>(all: Readonly<Record<string, T>>, view: (each: T, id: string) => object): Record<string, object> =>
  Object.fromEntries(Object.entries(all).map(([id, each]) => [id, view(each, id)]));
