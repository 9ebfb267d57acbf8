import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'yaml';
import { withSchemas, writtenOut, type Source } from './short/index.ts';

/** What the documents are made of; beside it stand the contract of the last release and the workflows. */
const OWN = /^(abilities|shared|v2)\//;
export const SOURCES = join(import.meta.dirname, '../../openapi');

/**
 * Hands over a folder with the sources in which all that they say in short is written out, as the bundler and the
 * linter know it. A file that says nothing in short is there as it stands, with its lines.
 */
export async function withSources<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'sitefleet-openapi-'));
  try {
    const texts = await readTexts();
    const written = new Map([...texts].map(([name, text]) => [name, sourceOf(text)]));
    const sources = new Map([...written].map(([name, source]) => [name, withSchemas(name, source, written)]));
    for (const [name, source] of written) {
      const text = texts.get(name) ?? '';
      const whole = writtenOut(name, sources.get(name) ?? source, sources);
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), isDeepStrictEqual(whole, source) ? text : JSON.stringify(whole, null, 1));
    }
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** All sources as they stand, by their place under openapi/. */
export async function readSources(): Promise<Map<string, Source>> {
  return new Map([...(await readTexts())].map(([name, text]) => [name, sourceOf(text)]));
}

const sourceOf = (text: string): Source => parse(text, { merge: true }) as Source;

async function readTexts(): Promise<Map<string, string>> {
  const entries = await readdir(SOURCES, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const texts = files
    .map((file) => [relative(SOURCES, file).split(sep).join('/'), file] as const)
    .filter(([name]) => OWN.test(name))
    .map(async ([name, file]): Promise<[string, string]> => [name, await readFile(file, 'utf8')]);
  return new Map(await Promise.all(texts));
}
