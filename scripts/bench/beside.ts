import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { compareFigures, isWorse, type FigureComparison, type MeasuredRound } from './comparison.ts';
import { median, formatNumber as rounded, type Figure } from './report.ts';

/**
 * Measures the parts in turns in this checkout and in a second one, which must be built. Prints both figures and their
 * comparison. Returns the figures that are worse here in every round.
 */
export async function compareWithCheckout(other: string, parts: string[], rounds: number): Promise<FigureComparison[]> {
  const [there, here] = [resolve(other), process.cwd()];
  if (!existsSync(join(there, 'dist/src/main.js'))) throw new Error(`Build ${there} first: npm ci.`);
  const done: MeasuredRound[] = [];
  for (let turn = 1; turn <= rounds; turn++) {
    // The order changes each time, because the second one finds a warmer machine.
    const order = turn % 2 === 1 ? [there, here] : [here, there];
    const figures = new Map<string, Figure[]>();
    for (const checkout of order) figures.set(checkout, await measure(checkout, parts));
    done.push({ before: figures.get(there) ?? [], now: figures.get(here) ?? [] });
    console.log(`\nRound ${turn} of ${rounds}, median (least to most), before and now:`);
    for (const comparison of compareFigures(done)) console.log(formatComparison(comparison));
  }
  return compareFigures(done).filter(isWorse);
}

async function measure(checkout: string, parts: string[]): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'sitefleet-beside-'));
  const file = join(folder, 'figures.json');
  try {
    const command = ['--import=tsx', 'scripts/bench/main.ts', ...parts, '--json', file];
    const child = spawn(process.execPath, command, { cwd: checkout, stdio: ['ignore', 'ignore', 'inherit'] });
    await once(child, 'exit');
    if (!existsSync(file)) throw new Error(`No figures came of ${checkout}.`);
    return JSON.parse(await readFile(file, 'utf8')) as Figure[];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function formatComparison(comparison: FigureComparison): string {
  const { name, before, now, cost, worseIn } = comparison;
  return [
    name.padEnd(64),
    formatSpread(before).padEnd(26),
    formatSpread(now).padEnd(26),
    `costs ${cost.toFixed(2)} times`,
    `worse in ${worseIn} of ${now.length}`,
  ].join('  ');
}

const formatSpread = (values: number[]): string =>
  `${rounded(median(values))} (${rounded(Math.min(...values))} to ${rounded(Math.max(...values))})`;
