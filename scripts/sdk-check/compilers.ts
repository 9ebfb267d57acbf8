import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Language } from '../sdk/languages.ts';
import { outputOf } from '../sdk/run.ts';

export type CompiledLanguage = Exclude<Language, 'python'>;

/** Throws what the compiler says against a client. */
export async function compile(language: CompiledLanguage, folder: string): Promise<void> {
  if (language === 'go') await outputOf('go', ['vet', '.'], { cwd: folder });
  else if (language === 'php')
    await outputOf('php', ['-n', join(import.meta.dirname, 'load.php'), join(folder, 'lib')]);
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
