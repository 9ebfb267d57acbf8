import { join } from 'node:path';
import type { RunnerMessage, RunnerTask } from './messages.ts';

/** What is used of Puppeteer. Its types are not imported, since it may be left out of an installation. */
export interface Browser {
  newPage(): Promise<Page>;
  process(): { pid?: number } | null;
}
export interface Page {
  setJavaScriptEnabled(enabled: boolean): Promise<void>;
  setOfflineMode(enabled: boolean): Promise<void>;
  setContent(html: string, options: { waitUntil: 'load'; timeout: number }): Promise<void>;
  pdf(options: object): Promise<unknown>;
  close(): Promise<void>;
}
interface Puppeteer {
  default: { launch(options: object): Promise<Browser> };
}

/** No import that the build follows: it may be left out of an installation. */
export const load = (name: string): Promise<unknown> => import(name) as Promise<unknown>;

/** Says something to the keeper. */
export function say(message: RunnerMessage): void {
  process.send?.(message);
}

/** Does what the first message asks for, and says how that failed. Ends when the keeper is gone. */
export function runOn<Task>(work: (task: Task) => Promise<void>): void {
  process.on('disconnect', () => process.exit(1));
  process.once('message', (message) => {
    work(message as Task).catch((error: unknown) =>
      say({ fault: 'browser_failed', detail: String((error as Error).stack ?? error) }),
    );
  });
}

interface Launch extends RunnerTask {
  /** What may be reached: nothing but this proxy, or nothing at all. */
  proxyPort: number | null;
  /** Further options of Puppeteer. */
  more?: object;
}

/** A port at which nobody may listen but the system's administrator, and nobody does: what is sent there is lost. */
const NOWHERE = 9;

/** A browser on a pipe of this process: it ends by itself when this one is gone. */
export async function launch({ chromePath, sandbox, folder, systemPath, proxyPort, more }: Launch): Promise<Browser> {
  const puppeteer = (await load('puppeteer-core')) as Puppeteer;
  const browser = await puppeteer.default.launch({
    executablePath: chromePath,
    pipe: true,
    headless: true,
    userDataDir: join(folder, 'profile'),
    env: { PATH: systemPath, HOME: folder, TMPDIR: folder },
    args: [
      ...confinedTo(proxyPort ?? NOWHERE),
      '--disable-dev-shm-usage',
      '--no-pings',
      ...(sandbox ? [] : ['--no-sandbox']),
    ],
    ...more,
  });
  const { pid } = browser.process() ?? {};
  if (pid !== undefined) say({ browserPid: pid });
  return browser;
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
