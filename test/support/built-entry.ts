import { rmSync } from 'node:fs';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';

/** What starts in a process of its own. Those of the browser lie beside who starts them. */
const ENTRIES = {
  main: 'src/main.ts',
  cli: 'src/admin-cli/main.ts',
  mcp: 'src/mcp/main.ts',
  'browser-supervisor': 'src/browser/browser-supervisor.ts',
  'audit-runner': 'src/browser/audit-runner.ts',
  'print-runner': 'src/browser/print-runner.ts',
};

let folder: Promise<string> | undefined;

/**
 * An entry of the product as plain JavaScript in a few files: a process that loads the sources themselves takes several
 * times as long to start, which is most of what a short test costs. Made of the sources of this moment, once a run.
 */
export async function builtEntry(entry: 'main' | 'cli' | 'mcp'): Promise<string> {
  return join(await (folder ??= buildAll()), `${entry}.js`);
}

/** Where the processes around a browser lie built. */
export const buildEntriesOnce = (): Promise<string> => (folder ??= buildAll());

async function buildAll(): Promise<string> {
  // Within the package, so that its dependencies and what is generated are found.
  await mkdir('dist', { recursive: true });
  const outdir = resolve(await mkdtemp(join('dist', 'test-')));
  process.once('exit', () => rmSync(outdir, { recursive: true, force: true }));
  await build({
    entryPoints: ENTRIES,
    outdir,
    bundle: true,
    splitting: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'es2022',
  });
  return outdir;
}
