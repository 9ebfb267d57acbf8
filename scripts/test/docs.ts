import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

const SITE = 'generated/docs/index.html';
const SOURCES = [
  'generated/abilities.openapi.json',
  'generated/v2.openapi.json',
  'docs',
  'scripts/docs',
  'src/contract',
];

/** Builds the docs site if a source is newer, as after `npm run generate`. */
export async function buildStaleDocs(): Promise<void> {
  const [built, ...sources] = await Promise.all([modifiedAt(SITE), ...SOURCES.map(newestIn)]);
  if (built > Math.max(...sources)) return;
  console.log('Building the docs, because their sources have changed.');
  const { buildDocs } = await import('../docs/build.ts');
  await buildDocs();
}

/** Returns 0 if there is no such file. */
const modifiedAt = (path: string): Promise<number> =>
  stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );

/** A folder counts too: its time changes if a file is removed. */
async function newestIn(path: string): Promise<number> {
  const names = await readdir(path, { recursive: true }).catch(() => []);
  return Math.max(...(await Promise.all(['', ...names].map((name) => modifiedAt(join(path, name))))));
}
