import { readFile, writeFile } from 'node:fs/promises';
import { CHAINS } from './generators/index.ts';
import type { ChainOutcome, Step } from './run-chain.ts';

const GUIDE = 'docs/guides/other-languages.md';
const BEGIN = '<!-- written by npx tsx scripts/check/clients/main.ts --write -->';
const END = '<!-- end of the table -->';

/**
 * Writes a row for each outcome between the two markers of the guide. Rows of generators that did not run stay. Throws
 * if a marker is missing.
 */
export async function writeTable(outcomes: readonly ChainOutcome[]): Promise<void> {
  const guide = await readFile(GUIDE, 'utf8');
  const begin = guide.indexOf(BEGIN);
  const end = guide.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`${GUIDE} has no markers for the table.`);
  const table = [
    '| generator | version | generated | compiled | program ran | options and workarounds |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rowsOf(outcomes, guide.slice(begin, end)),
  ];
  const text = [guide.slice(0, begin + BEGIN.length), '', ...table, '', guide.slice(end)].join('\n');
  await writeFile(GUIDE, text);
}

function rowsOf(outcomes: readonly ChainOutcome[], oldTable: string): string[] {
  const oldRows = oldTable.split('\n');
  return CHAINS.flatMap(({ name }) => {
    const outcome = outcomes.find(({ chain, missing }) => chain.name === name && missing === null);
    return outcome ? [rowOf(outcome)] : oldRows.filter((row) => row.startsWith(`| ${name} |`));
  });
}

function rowOf({ chain, done }: ChainOutcome): string {
  const cell = (step: Step, has: boolean): string => (done.includes(step) ? 'yes' : has ? '**no**' : '–');
  const cells = [
    chain.name,
    chain.version,
    done.includes('generated') ? 'both' : '**no**',
    cell('compiled', chain.compile !== undefined),
    cell('program ran', chain.program !== undefined),
    chain.notes,
  ];
  return `| ${cells.join(' | ')} |`.replace('|  |', '| |');
}
