import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** Returns the text of a file of the project, or null if there is no such file. */
export type ReadText = (file: string) => string | null;

/** Type imports are not loaded at run time. */
const TYPE_IMPORTS = /^(?:import|export) type [^;]*;$/gm;
const IMPORTS = /(?:\bfrom|\bimport|\bimport\()\s*'(\.[^']+)'/g;

export const textOfFile: ReadText = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : null);

/** Returns a function that is true if a file, or a file of `test` or `scripts` that it imports, has the pattern. */
export function reachOf(pattern: RegExp, textOf: ReadText = textOfFile): (file: string) => boolean {
  const known = new Map<string, { matches: boolean; imports: string[] }>();
  const read = (file: string): { matches: boolean; imports: string[] } => {
    const text = (textOf(file) ?? '').replace(TYPE_IMPORTS, '');
    const imports = [...text.matchAll(IMPORTS)].map(([, name = '']) => normalize(join(dirname(file), name)));
    return { matches: pattern.test(text), imports: imports.filter((each) => /^(?:test|scripts)\//.test(each)) };
  };
  return (start) => {
    const seen = new Set<string>();
    for (const file of seen.add(normalize(start))) {
      const { matches, imports } = known.get(file) ?? read(file);
      known.set(file, { matches, imports });
      if (matches) return true;
      for (const each of imports) seen.add(each);
    }
    return false;
  };
}
