import { rmSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';

/**
 * Files that run in a process or a thread of their own. Those of the browser and of the check of the database file must
 * be in the folder of the process that starts them.
 */
const ENTRIES = {
  main: 'src/main.ts',
  'main-without-https': 'test/support/main-without-https.ts',
  cli: 'src/admin-cli/main.ts',
  mcp: 'src/mcp/main.ts',
  client: 'src/client-cli/main.ts',
  'browser-supervisor': 'src/browser/browser-supervisor.ts',
  'audit-runner': 'src/browser/audit-runner.ts',
  'print-runner': 'src/browser/print-runner.ts',
  'file-check': 'src/db/file-check.ts',
};

let folder: Promise<string> | undefined;

/**
 * Returns the path of an entry that is bundled as JavaScript. A process that loads the sources takes several times as
 * long to start. The bundle is made once per run from the present sources.
 */
export async function builtEntry(entry: 'main' | 'main-without-https' | 'cli' | 'mcp' | 'client'): Promise<string> {
  return join(await (folder ??= buildAll()), `${entry}.js`);
}

/** Returns the folder of the bundled browser processes. */
export const buildEntriesOnce = (): Promise<string> => (folder ??= buildAll());

async function buildAll(): Promise<string> {
  // The folder is inside the package, so that dependencies and generated/ are found.
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
  await copyFile('src/domains/guard-files/guard-file.php', join(outdir, 'guard-file.php'));
  return outdir;
}
