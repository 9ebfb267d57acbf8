import type { SurfaceDocument } from './entries.ts';

const CHAPTER = 'Error codes';
const HEAD = ['| Code | Status | Meaning |', '| --- | --- | --- |'];

/** Returns a table with the error codes of all surfaces. */
export function errorCodeTable(surfaces: readonly SurfaceDocument[]): string {
  const tables = surfaces.map(({ chapters }) => chapters.find(({ name }) => name === CHAPTER)?.description ?? '');
  const rows = tables.flatMap((table) => table.split('\n').filter((line) => line.startsWith('| `')));
  return [...HEAD, ...new Set(rows)].join('\n');
}
