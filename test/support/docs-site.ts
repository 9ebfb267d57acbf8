/** The docs site as a browser has it. */
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { GENERATED_FOLDER } from '../../src/surfaces/generated-files.ts';

// Needs generated/docs.
export const SITE = join(GENERATED_FOLDER, 'docs');

export const filesOfSite = async (ending: string): Promise<string[]> =>
  (await readdir(SITE, { recursive: true })).filter((file) => file.endsWith(ending)).sort();

/** As under the address of the site: without an ending, and the index by its folder. */
export const addressOfFile = (file: string): string =>
  `/docs/${file.replace(/(^|\/)index\.html$/, '$1').replace(/\.html$/, '')}`;

/** Every name but this machine's address leads nowhere. */
export const openBrowser = (executablePath: string): Promise<Browser> =>
  puppeteer.launch({
    executablePath,
    headless: true,
    args: ['--no-sandbox', '--disable-gpu', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
  });

/** What a page did that it must not: told the console, failed, or asked another host. */
export function recordPageErrors(page: Page, origin: string): string[] {
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warn'].includes(message.type())) complaints.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(`error: ${String(error)}`));
  page.on('requestfailed', (request) =>
    complaints.push(`failed: ${request.url()} ${request.failure()?.errorText ?? ''}`),
  );
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !url.startsWith('data:')) complaints.push(`outside: ${url}`);
  });
  return complaints;
}

/** A tab in which pages of the site are read one after the other. */
export class DocsBrowser {
  readonly tab: Page;
  #policy: string | undefined;

  constructor(tab: Page) {
    this.tab = tab;
  }

  /** Goes to a page as visitors do; what is wrong with the answer. */
  async open(url: string): Promise<string[]> {
    const answer = await this.tab.goto(url);
    this.#policy = answer?.headers()['content-security-policy'];
    return answer?.status() === 200 ? [] : [`the answer is ${answer?.status()}`];
  }

  /**
   * Writes the next page into the document that is open. Its text is parsed, its scripts run and the policy rules as
   * when it is opened, since the policy must be the same; that the browser needs no new document for it spares most of
   * the work.
   */
  async showPage(url: string): Promise<string[]> {
    const answer = (await this.tab.evaluate(`(${WRITE_PAGE})(${JSON.stringify(url)})`)) as WrittenPage;
    const { status, type, policy } = answer;
    const isAlike = status === 200 && type === 'text/html; charset=utf-8' && policy === this.#policy;
    return isAlike ? [] : [`the answer is ${status} of ${type}, with the policy ${policy}`];
  }
}

interface WrittenPage {
  status: number;
  type: string | null;
  policy: string | null;
}

/** A document runs a module once for each of its addresses, and a hash makes it another one. */
const WRITE_PAGE = `async (url) => {
  const answer = await fetch(url);
  const html = (await answer.text()).replaceAll('.js"', '.js#' + performance.now() + '"');
  history.replaceState(null, '', url);
  await new Promise((loaded) => {
    document.open();
    addEventListener('load', loaded, { once: true });
    document.write(html);
    document.close();
  });
  const [type, policy] = ['content-type', 'content-security-policy'].map((name) => answer.headers.get(name));
  return { status: answer.status, type, policy };
}`;

const axe = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

interface Violation {
  id: string;
  nodes: { target: unknown[]; failureSummary?: string }[];
}

/** What keeps people from reading or using the page, in the words of axe. */
export async function accessibilityViolations(page: Page): Promise<string[]> {
  // The page's policy allows no script of ours; the debugger's own way is not asked.
  if (!(await page.evaluate('typeof axe === "object"'))) await page.evaluate(await axe);
  const options = JSON.stringify({ runOnly: RULES, resultTypes: ['violations'] });
  const violations = (await page.evaluate(
    `axe.run(document, ${options}).then(({ violations }) => violations)`,
  )) as Violation[];
  return violations.flatMap(({ id, nodes }) =>
    nodes.slice(0, 3).map(({ target, failureSummary = '' }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
  );
}

/** How many pixels the page is wider than what shows it. */
export const horizontalOverflow = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth') as Promise<number>;
