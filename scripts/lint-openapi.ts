/** Lints twice: layout rules over the sources, written out, and rules of meaning over what is served. */
import { readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { parse } from 'yaml';
import { bundle, redocly } from './contract/bundle.ts';
import { SURFACES } from './contract/surfaces.ts';
import { misnamed } from './contract/parts.ts';
import { SOURCES, withSources } from './contract/sources.ts';

interface Config {
  plugins: string[];
  apis: Record<string, { root: string }>;
}
const ROOT = join(import.meta.dirname, '..');

/** The configuration as it stands, for sources that lie in another folder. */
async function configFor(folder: string): Promise<string> {
  const config = parse(await readFile(join(ROOT, 'redocly.yaml'), 'utf8')) as Config;
  config.plugins = config.plugins.map((plugin) => join(ROOT, plugin));
  for (const api of Object.values(config.apis)) api.root = join(ROOT, api.root).replace(SOURCES, folder);
  const file = join(folder, 'redocly.yaml');
  await writeFile(file, JSON.stringify(config));
  return file;
}

try {
  await withSources(async (folder) => {
    const apis = ['abilities', 'v2', 'abilities-bundle', 'v2-bundle'];
    await redocly('lint', ...apis, '--config', await configFor(folder)).catch((error: Error) => {
      throw new Error(error.message.replaceAll(relative(ROOT, folder), 'openapi'), { cause: error });
    });
  });
  const problems = await Promise.all(SURFACES.map(async (surface) => misnamed(surface, await bundle(surface))));
  if (problems.flat().length > 0) throw new Error(problems.flat().join('\n'));
  console.log('The contract is clean.');
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
