/**
 * Builds the docs site as static files, from the contract and docs/.
 *
 *   npm run docs                                      for the service, which serves the site at /docs
 *   npm run docs -- --out site --base https://docs.example/   for a static host
 */
import { cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { generateSite, IMAGES } from './site.ts';

export const SITE = 'generated/docs';

export interface BuildOptions {
  out?: string;
  /** URL of the site. */
  base?: string;
  /** Script that every page runs after its own. */
  script?: string;
}

/** Writes the site and returns its broken links. */
export async function buildDocs({ out = SITE, base = '/docs/', script = '' }: BuildOptions = {}): Promise<string[]> {
  const { files, broken } = await generateSite(base, script);
  const before = await readdir(out, { recursive: true }).catch(() => []);
  for (const folder of new Set([...files.keys()].map((file) => dirname(join(out, file)))))
    await mkdir(folder, { recursive: true });
  await Promise.all([...files].map(([file, text]) => writeFile(join(out, file), text)));
  // Removes files of pages and pictures that no longer exist.
  const stale = before.filter((file) => /\.[a-z]+$/.test(file) && !files.has(file));
  await Promise.all(stale.map((file) => rm(join(out, file), { force: true })));
  await cp(IMAGES, join(out, 'images'), { recursive: true });
  return broken.map(({ page: on, href }) => `${on}: broken link to ${href}`);
}

if (import.meta.filename === process.argv[1]) {
  const { values } = parseArgs({ options: { out: { type: 'string' }, base: { type: 'string' } } });
  const began = performance.now();
  const broken = await buildDocs(values);
  for (const line of broken) console.error(line);
  console.log(`Built the docs in ${values.out ?? SITE} (${((performance.now() - began) / 1000).toFixed(1)} s).`);
}
