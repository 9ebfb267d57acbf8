import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { build } from 'esbuild';

let folder: Promise<string> | undefined;

/**
 * An entry of the product as plain JavaScript, as users have it: a process that loads the sources themselves takes
 * three times as long to start, which is most of what a short test costs. Made of the sources of this moment, once a
 * run.
 */
export async function built(entry: 'src/main.ts' | 'src/cli/main.ts'): Promise<string> {
  return join(await (folder ??= buildAll()), entry.replace(/\.ts$/, '.js'));
}

async function buildAll(): Promise<string> {
  // Within the package, so that its dependencies and what is generated are found.
  await mkdir('dist', { recursive: true });
  const outdir = resolve(await mkdtemp(join('dist', 'test-')));
  process.once('exit', () => rmSync(outdir, { recursive: true, force: true }));
  const filesOf = async (name: string): Promise<string[]> =>
    (await readdir(name, { recursive: true })).map((file) => join(name, file));
  const sources = await filesOf('src');
  const generated = (await filesOf('generated')).filter((name) => !/^generated\/(docs|sdk\/dist)\//.test(name));
  const { outputFiles } = await build({
    entryPoints: [...sources, ...generated].filter((name) => /(?<!\.d)\.ts$/.test(name)),
    outdir,
    outbase: '.',
    platform: 'node',
    target: 'es2022',
    write: false,
  });
  const folders = new Set(outputFiles.map(({ path }) => dirname(path)));
  await Promise.all([...folders].map((path) => mkdir(path, { recursive: true })));
  const toJs = /((?:\bfrom |\bimport |\bimport\()"\.{1,2}\/[^"]+)\.ts"/g;
  await Promise.all(outputFiles.map(({ path, text }) => writeFile(path, text.replace(toJs, '$1.js"'))));
  return outdir;
}
