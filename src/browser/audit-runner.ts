/** Drives the browser through one audit: a process of its own, because what it reads is made by the page. */
import { launch, load, runOn, say } from './launch.ts';
import type { AuditRunnerTask } from './messages.ts';

interface LighthouseModule {
  default(url: string, flags: object, config: object | undefined, page: unknown): Promise<{ lhr: Report } | undefined>;
  desktopConfig: object;
}
/** What Lighthouse has pages do. */
interface PageFunctionsModule {
  pageFunctions: { computeBenchmarkIndex: () => number };
}
type Fields = Readonly<Record<string, unknown>>;
interface Report extends Fields {
  categories: Readonly<Record<string, Fields>>;
  audits: Readonly<Record<string, Fields>>;
}

const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo'];
/** A page that goes on loading is judged by what it has shown by then. */
const MAX_LOAD_MS = 45_000;

runOn(audit);

async function audit({ audit: task, ...start }: AuditRunnerTask): Promise<void> {
  const names = ['lighthouse', 'lighthouse/core/lib/page-functions.js', 'puppeteer-core'];
  const modules = await Promise.all(names.map(load)).catch((error: unknown) => error);
  if (!Array.isArray(modules)) return say({ fault: 'engine_missing', detail: String(modules) });
  const [lighthouse, { pageFunctions }] = modules as [LighthouseModule, PageFunctionsModule];
  // It would keep a core busy for a second of each audit, to tell in a part that is not kept how fast this machine is.
  pageFunctions.computeBenchmarkIndex = () => 0;
  const browser = await launch({ ...start, more: { acceptInsecureCerts: !task.verifyTls } });
  const { url, strategy, locale } = task;
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
  say(ran ? { report: essence(ran.lhr), refused: 0 } : { fault: 'browser_failed', detail: 'no report' });
}

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
