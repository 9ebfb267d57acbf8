import { memoize, type Contract } from '../../src/contract/index.ts';
import type { SurfaceDocument } from './entries.ts';

const CHAPTER = 'Error codes';
const HEAD = ['| Code | Status | Meaning |', '| --- | --- | --- |'];
const ROW = /^\| `(\w+)` \| \d+ \| (.*) \|$/;

/** Returns a table with the error codes of all surfaces. */
export function errorCodeTable(surfaces: readonly SurfaceDocument[]): string {
  const rows = surfaces.flatMap(({ contract }) => rowsOf(contract));
  return [...HEAD, ...new Set(rows)].join('\n');
}

/** Returns the meaning of each error code as Markdown. */
export const errorMeanings = memoize(
  (contract: Contract): ReadonlyMap<string, string> =>
    new Map(
      rowsOf(contract).map((row) => {
        const [, code, meaning] = ROW.exec(row) ?? [];
        if (code === undefined || meaning === undefined) throw new Error(`This is no row of an error code: ${row}`);
        return [code, meaning];
      }),
    ),
);

function rowsOf(contract: Contract): string[] {
  const { tags = [] } = contract as { tags?: { name: string; description?: string }[] };
  const table = tags.find(({ name }) => name === CHAPTER)?.description ?? '';
  return table.split('\n').filter((line) => line.startsWith('| `'));
}
