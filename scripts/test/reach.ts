import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** The text of a file of the project; null where there is none. */
export type ReadText = (file: string) => string | null;

/** Where a test learns on which database it runs. */
const ASKS = /process\.env\['TEST_DATABASE_URL'\]/;
/** What is imported for its types alone is not loaded. */
const TYPES = /^(?:import|export) type [^;]*;$/gm;
const IMPORTS = /(?:\bfrom|\bimport|\bimport\()\s*'(\.[^']+)'/g;

const textOfFile: ReadText = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : null);

/** Tells of files whether they, or what they import of the tests and scripts, ask for the database of the run. */
export function databaseReach(textOf: ReadText = textOfFile): (file: string) => boolean {
  const known = new Map<string, { asks: boolean; imports: string[] }>();
  const read = (file: string): { asks: boolean; imports: string[] } => {
    const text = (textOf(file) ?? '').replace(TYPES, '');
    const imports = [...text.matchAll(IMPORTS)].map(([, name = '']) => normalize(join(dirname(file), name)));
    return { asks: ASKS.test(text), imports: imports.filter((each) => /^(?:test|scripts)\//.test(each)) };
  };
  return (start) => {
    const seen = new Set<string>();
    for (const file of seen.add(normalize(start))) {
      const { asks, imports } = known.get(file) ?? read(file);
      known.set(file, { asks, imports });
      if (asks) return true;
      for (const each of imports) seen.add(each);
    }
    return false;
  };
}
