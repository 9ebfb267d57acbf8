import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Client } from './generator.ts';
import { outputOf } from './generator.ts';

export type CompiledLanguage = Exclude<Client['language'], 'python'>;

/** Throws what the compiler says against a client. */
export async function compile(language: CompiledLanguage, folder: string): Promise<void> {
  if (language === 'go') await outputOf('go', ['vet', '.'], { cwd: folder });
  else if (language === 'php') await lintPhp(join(folder, 'lib'));
  else
    await outputOf(process.execPath, [
      resolve('node_modules/typescript/bin/tsc'),
      ...STRICT,
      ...(await indexOf(folder)),
    ]);
}

const STRICT = [
  '--noEmit',
  '--strict',
  '--target',
  'es2022',
  '--module',
  'esnext',
  '--moduleResolution',
  'bundler',
  '--lib',
  'es2022,dom',
];

async function indexOf(folder: string): Promise<string[]> {
  const files = await readdir(folder);
  return [join(folder, files.includes('src') ? 'src/index.ts' : 'index.ts')];
}

async function lintPhp(folder: string): Promise<void> {
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.php'));
  const each = 'for file; do php -n -l "$file" || exit 1; done';
  await outputOf('sh', ['-c', each, 'sh', ...files.map((name) => join(folder, name))]);
}
