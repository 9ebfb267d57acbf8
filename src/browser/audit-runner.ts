/**
 * Runs one audit in a browser. This code runs in its own process, because the page that it audits may be hostile and
 * controls much of the data that the code reads.
 */
import { launch, importModule, runTask, sendMessage } from './launch.ts';
import type { AuditRunnerTask } from './process-messages.ts';

interface LighthouseModule {
  default(url: string, flags: object, config: object | undefined, page: unknown): Promise<{ lhr: Report } | undefined>;
  desktopConfig: object;
}
interface PageFunctionsModule {
  pageFunctions: { computeBenchmarkIndex: () => number };
}
type LighthouseJsonFields = Readonly<Record<string, unknown>>;
interface Report extends LighthouseJsonFields {
  categories: Readonly<Record<string, LighthouseJsonFields>>;
  audits: Readonly<Record<string, LighthouseJsonFields>>;
}

const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo'];
/** Maximum loading time of a page. A page that has not loaded by then is audited in its current state. */
const MAX_LOAD_MS = 45_000;

runTask(audit);

async function audit({ audit: task, ...start }: AuditRunnerTask): Promise<void> {
  const names = ['lighthouse', 'lighthouse/core/lib/page-functions.js', 'puppeteer-core'];
  const modules = await Promise.all(names.map(importModule)).catch((error: unknown) => error);
  if (!Array.isArray(modules)) return sendMessage({ fault: 'engine_missing', detail: String(modules) });
  const [lighthouse, { pageFunctions }] = modules as [LighthouseModule, PageFunctionsModule];
  // The CPU benchmark of Lighthouse would occupy a core for one second per audit, and `trimmedReport` drops its result.
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
  sendMessage(ran ? { report: trimmedReport(ran.lhr), refused: 0 } : { fault: 'browser_failed', detail: 'no report' });
}

/** Keeps only the parts that the service uses: with its screenshots, a report has several megabytes. */
function trimmedReport({ categories, audits, ...rest }: Report): unknown {
  const { lighthouseVersion, fetchTime, finalDisplayedUrl, runtimeError } = rest;
  const scores = mapRecordValues(categories, ({ score }) => ({ score }));
  const kept = mapRecordValues(audits, (each, id) => {
    const { title, score, numericValue, numericUnit, displayValue, metricSavings } = each;
    const { type, overallSavingsMs } = (each['details'] ?? {}) as LighthouseJsonFields;
    const details = { type, overallSavingsMs };
    return { id, title, score, numericValue, numericUnit, displayValue, metricSavings, details };
  });
  return { lighthouseVersion, fetchTime, finalDisplayedUrl, runtimeError, categories: scores, audits: kept };
}

const mapRecordValues = <T>(
  all: Readonly<Record<string, T>>,
  view: (each: T, id: string) => object,
): Record<string, object> => Object.fromEntries(Object.entries(all).map(([id, each]) => [id, view(each, id)]));
