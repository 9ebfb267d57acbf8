/**
 * `npm run sdk:build` compiles the package that `generated/sdk` is; `npm run sdk:pack` packs it as well, into `dist`.
 * It is compiled for browsers and for no platform's own types, so that what only Node has does not compile.
 */
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { buildCommandLine } from './command-line.ts';

const run = promisify(execFile);
const PACKAGE = 'generated/sdk';

/** Compiles `folder`, which holds what is made of the contract, with the runtime; the output goes to its `dist`. */
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
      await writeFile(target, relinked(await readFile(target, 'utf8')));
    }
  await rm(raw, { recursive: true });
  await buildCommandLine(join(out, 'command-line.js'), root);
}

/** Declarations keep the names of the sources, and the two folders of the sources become one. */
const relinked = (text: string): string =>
  text.replaceAll(/(from|import)(\(| )(['"])(\.{1,2}\/[^'"]+?)\.(?:ts|js)\3/g, (_, word, gap, quote, path: string) => {
    const target = path.replace('../../generated/sdk/', '../');
    return `${word}${gap}${quote}${target}.js${quote}`;
  });

/** Packs what was built; the path of the archive. */
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
  if (process.argv.includes('--pack')) console.log(`Packed ${await packSdk(join(process.cwd(), 'dist'))}.`);
}
