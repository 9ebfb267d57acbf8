import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'puppeteer-core';

const axe = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

interface Violation {
  id: string;
  nodes: { target: unknown[]; failureSummary?: string }[];
}

/** Returns accessibility problems of the page, found by axe. */
export async function accessibilityViolations(page: Page): Promise<string[]> {
  // The policy of the page forbids our scripts, but it does not apply to the debugger.
  if (!(await page.evaluate('typeof axe === "object"'))) await page.evaluate(await axe);
  const options = JSON.stringify({ runOnly: RULES, resultTypes: ['violations'] });
  const violations = (await page.evaluate(
    `axe.run(document, ${options}).then(({ violations }) => violations)`,
  )) as Violation[];
  return violations.flatMap(({ id, nodes }) =>
    nodes.slice(0, 3).map(({ target, failureSummary = '' }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
  );
}
