/** The docs site as a browser has it. */
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { GENERATED } from '../../src/surfaces/generated.ts';

export const SITE = join(GENERATED, 'docs');

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
export function complaintsOf(page: Page, origin: string): string[] {
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

const axe = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

interface Violation {
  id: string;
  nodes: { target: unknown[]; failureSummary?: string }[];
}

/** What keeps people from reading or using the page, in the words of axe. */
export async function barriersOn(page: Page): Promise<string[]> {
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
export const overhangOf = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth') as Promise<number>;
