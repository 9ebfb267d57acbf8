/**
 * Compiles the package in `generated/sdk`. The compiler has no types of Node, so code that only runs in Node fails.
 *
 *   npx tsx scripts/release/sdk-package.ts    compiles the package
 *   npm run sdk -- typescript                 also packs it
 */
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { buildCommandLine } from './command-line.ts';

const run = promisify(execFile);
const PACKAGE = 'generated/sdk';

/** Compiles the generated code in `folder` with the runtime in `src/sdk`. The output is in `dist` of the folder. */
export async function buildSdk(root = '.', folder = join(root, PACKAGE)): Promise<void> {
  const out = join(folder, 'dist');
  const raw = join(folder, 'dist', 'raw');
  await rm(out, { recursive: true, force: true });
  const compiler = [
    'node_modules/typescript-native/bin/tsc',
    '-p',
    join(root, 'src/sdk/tsconfig.json'),
    '--outDir',
    raw,
  ];
  await run(process.execPath, compiler).catch((error: { stdout?: string }) => {
    throw new Error(`The SDK does not compile:\n${(error.stdout ?? '').slice(0, 2_000)}`);
  });
  for (const [from, to] of [
    ['generated/sdk', '.'],
    ['src/sdk', 'runtime'],
  ] as const)
    for (const name of await readdir(join(raw, from), { recursive: true })) {
      if (!/\.(js|d\.ts)$/.test(name)) continue;
      const target = join(out, to, name);
      await mkdir(dirname(target), { recursive: true });
      await rename(join(raw, from, name), target);
      await writeFile(target, withJsExtensions(await readFile(target, 'utf8')));
    }
  await rm(raw, { recursive: true });
  await buildCommandLine(join(out, 'command-line.js'), root);
}

/** Corrects import paths: the compiler keeps `.ts` in declarations, and the package has one folder instead of two. */
const withJsExtensions = (text: string): string =>
  text.replaceAll(/(from|import)(\(| )(['"])(\.{1,2}\/[^'"]+?)\.(?:ts|js)\3/g, (_, word, gap, quote, path: string) => {
    const target = path.replace('../../generated/sdk/', '../');
    return `${word}${gap}${quote}${target}.js${quote}`;
  });

/** Packs the compiled package. Returns the path of the archive. */
export async function packSdk(destination: string, folder = PACKAGE): Promise<string> {
  await mkdir(destination, { recursive: true });
  const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', destination], {
    cwd: folder,
  });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  return join(destination, filename);
}

if (import.meta.filename === process.argv[1]) {
  await buildSdk();
  console.log(`Built ${PACKAGE}/dist.`);
}
