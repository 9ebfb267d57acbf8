/**
 * Prints pages one after another, in a process that the supervisor can end. Scripts and network access are disabled:
 * the service creates the HTML itself, but it contains texts from sites.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { launch, importModule, runTask, sendMessage, type Browser } from './launch.ts';
import { pageFile, pdfFile, type PrintRequest, type RunnerTask } from './process-messages.ts';

runTask(async (task: RunnerTask) => {
  const orders: PrintRequest[] = [];
  let wake = (): void => undefined;
  process.on('message', (order) => {
    orders.push(order as PrintRequest);
    wake();
  });
  const engine = await importModule('puppeteer-core').catch((error: unknown) => error as Error);
  if (engine instanceof Error) return sendMessage({ fault: 'engine_missing', detail: String(engine) });
  const browser = await launch({ ...task, proxyPort: null });
  for (;;) {
    for (let order = orders.shift(); order; order = orders.shift()) await print(browser, task.folder, order.print);
    await new Promise<void>((resolve) => (wake = resolve));
  }
});

/** Disables Puppeteer's own timeout, because the supervisor enforces the deadline. */
const timeout = 0;

async function print(browser: Browser, folder: string, page: number): Promise<void> {
  const html = await readFile(join(folder, pageFile(page)), 'utf8');
  const tab = await browser.newPage();
  await tab.setJavaScriptEnabled(false);
  await tab.setOfflineMode(true);
  await tab.setContent(html, { waitUntil: 'load', timeout });
  await tab.pdf({
    path: join(folder, pdfFile(page)),
    preferCSSPageSize: true,
    format: 'a4',
    printBackground: true,
    tagged: true,
    outline: true,
    // Puppeteer waits for fonts with a script in the page, and scripts are disabled. Only system fonts are used.
    waitForFonts: false,
    timeout,
  });
  await tab.close();
  sendMessage({ printed: page });
}
