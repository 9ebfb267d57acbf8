/** The docs site in a browser. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { GENERATED_FOLDER } from '../../src/surfaces/generated-files.ts';

// Needs generated/docs.
export const SITE = join(GENERATED_FOLDER, 'docs');

export const filesOfSite = async (ending: string): Promise<string[]> =>
  (await readdir(SITE, { recursive: true })).filter((file) => file.endsWith(ending)).sort();

/** Returns the path of a page: without `.html`, and an index by its folder. */
export const addressOfFile = (file: string): string =>
  `/docs/${file.replace(/(^|\/)index\.html$/, '$1').replace(/\.html$/, '')}`;

/** Starts a browser that can only reach this machine. */
export const openBrowser = (executablePath: string): Promise<Browser> =>
  puppeteer.launch({
    executablePath,
    headless: true,
    args: ['--no-sandbox', '--disable-gpu', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
  });

/** Returns problems of a page: console messages, errors, failed requests and requests to other hosts. */
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

/** A tab that shows pages of the site one after another. */
export class DocsBrowser {
  readonly tab: Page;
  #policy: string | undefined;

  constructor(tab: Page) {
    this.tab = tab;
  }

  /** Opens a page as a visitor does. Returns problems of the response. */
  async open(url: string): Promise<string[]> {
    const answer = await this.tab.goto(url);
    this.#policy = answer?.headers()['content-security-policy'];
    return answer?.status() === 200 ? [] : [`the answer is ${answer?.status()}`];
  }

  /**
   * Writes the next page into the open document, which is much faster than a new document. The browser parses its text
   * and runs its scripts as usual. The page must have the same policy as the first one.
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

/** A document runs a module once per address. The hash makes a new address. */
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

/** Returns the number of pixels by which the page is wider than the window. */
export const horizontalOverflow = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth') as Promise<number>;
