import { memoize, type Contract } from '../../src/contract/index.ts';
import type { SurfaceDocument } from './entries.ts';

const CHAPTER = 'Error codes';
const HEAD = ['| Code | Status | Meaning | What to do |', '| --- | --- | --- | --- |'];
const ROW = /^\| `(\w+)` \| (?:\d+|item) \| (.*) \| (.*) \|$/;

/** Both texts are Markdown. */
export interface ErrorExplanation {
  meaning: string;
  remedy: string;
}

/** Returns a table with the error codes of all surfaces. */
export function errorCodeTable(surfaces: readonly SurfaceDocument[]): string {
  const rows = surfaces.flatMap(({ contract }) => rowsOf(contract));
  return [...HEAD, ...new Set(rows)].join('\n');
}

/** Returns the explanation of each error code, of responses and of their items. */
export const errorExplanations = memoize(
  (contract: Contract): ReadonlyMap<string, ErrorExplanation> =>
    new Map(
      rowsOf(contract).map((row) => {
        const [, code, meaning, remedy] = ROW.exec(row) ?? [];
        if (code === undefined || meaning === undefined || remedy === undefined)
          throw new Error(`This is no row of an error code: ${row}`);
        return [code, { meaning, remedy }];
      }),
    ),
);

function rowsOf(contract: Contract): string[] {
  const { tags = [] } = contract as { tags?: { name: string; description?: string }[] };
  const table = tags.find(({ name }) => name === CHAPTER)?.description ?? '';
  return table.split('\n').filter((line) => line.startsWith('| `'));
}
