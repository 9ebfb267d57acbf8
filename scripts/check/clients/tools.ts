import { existsSync } from 'node:fs';
import { cp, mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { SURFACES, type Surface } from '../../../src/contract/surfaces.ts';
import { CACHE, generateClients, runGenerator } from '../../build/clients/generator.ts';
import type { Language } from '../../build/clients/languages.ts';
import { hasTool, outputOf } from '../../build/clients/run.ts';
import type { WorkFolders } from './chain.ts';

/** Returns a sentence if the command fails, or null. */
export const missingTool = (command: string, ...args: string[]): string | null =>
  hasTool(command, ...args) ? null : `\`${[command, ...args].join(' ')}\` fails.`;

export const programFolder = (name: string): string => join(import.meta.dirname, 'programs', name);

/** Copies a program beside its clients. */
export const copyProgram = (name: string, { folder }: WorkFolders): Promise<void> =>
  cp(programFolder(name), folder, { recursive: true });

export const documentOf = (surface: Surface, { documents }: WorkFolders): string =>
  resolve(documents, `${surface}.openapi.json`);

/** Generates the clients that `npm run sdk` generates. */
export async function sdkClients(language: Language, { documents, folder }: WorkFolders): Promise<void> {
  const clients = SURFACES.map((surface) => ({ language, surface, folder: join(folder, surface) }));
  await generateClients(clients, join(folder, 'scratch'), documents);
}

/** Runs a command for each surface, one after the other. */
export async function forSurfaces(run: (surface: Surface) => Promise<unknown>): Promise<void> {
  for (const surface of SURFACES) await run(surface);
}

/** Runs openapi-generator for both surfaces. */
export async function openapiGenerator(
  generatorName: string,
  work: WorkFolders,
  settingsOf: (surface: Surface) => object = () => ({}),
): Promise<void> {
  const clients = SURFACES.map((surface) => ({
    generatorName,
    surface,
    outputDir: join(work.folder, surface),
    ...settingsOf(surface),
  }));
  await runGenerator(clients, join(work.folder, 'scratch'), work.documents);
}

/** Runs `install` once for a folder of the cache. Removes the folder if that fails. */
async function cachedFolder(name: string, install: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(CACHE, name.replaceAll('/', '-'));
  if (existsSync(folder)) return folder;
  try {
    await mkdir(folder, { recursive: true });
    await install(folder);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
  return folder;
}

/** Installs npm packages outside package.json, because the service does not depend on them. Returns the folder. */
export const npmFolder = (...packages: [string, ...string[]]): Promise<string> =>
  cachedFolder(packages.join('+'), async (folder) => {
    await outputOf('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', '--save-exact', ...packages]);
  });

/** Installs Python packages into a virtual environment. Returns its `bin` folder. */
export async function pythonFolder(...packages: [string, ...string[]]): Promise<string> {
  const folder = await cachedFolder(packages.join('+'), async (own) => {
    await outputOf('python3', ['-m', 'venv', own]);
    const pip = ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', ...packages];
    await outputOf(join(own, 'bin', 'python3'), pip);
  });
  return join(folder, 'bin');
}

/** Checks the types of TypeScript files with the options that a strict project has. */
export const checkTypes = (folder: string, ...files: string[]): Promise<string> =>
  outputOf(
    process.execPath,
    [
      resolve('node_modules/typescript-native/bin/tsc'),
      ...['--noEmit', '--strict', '--skipLibCheck', '--allowImportingTsExtensions'],
      ...['--target', 'es2022', '--module', 'esnext', '--moduleResolution', 'bundler'],
      ...['--typeRoots', resolve('node_modules/@types'), '--types', 'node'],
      ...files,
    ],
    { cwd: folder },
  );

/** Command that runs a TypeScript program. */
export const typescriptProgram = (folder: string) => ({
  command: process.execPath,
  args: [`--import=${resolve('node_modules/tsx/dist/esm/index.mjs')}`, 'program.ts'],
  cwd: folder,
});
