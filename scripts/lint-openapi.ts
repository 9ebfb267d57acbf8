/**
 * Lints twice: layout rules over the sources, written out, and rules of meaning over what is served. The workflows are
 * linted beside the documents that they name.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { parse } from 'yaml';
import { bundle, redocly } from './contract/bundle.ts';
import { SURFACES } from './contract/surfaces.ts';
import { misnamed } from './contract/parts.ts';
import { SOURCES, withSources } from './contract/sources.ts';
import { layOut, withFolder } from './workflows/folder.ts';

interface Config {
  plugins: string[];
  apis: Record<string, { root: string }>;
}
const ROOT = join(import.meta.dirname, '..');

/**
 * What rules are not asked about, by file. A site that goes by the name `profiles` alone is reached by its ID, so that
 * these two paths do not meet.
 */
const MANUAL_DOMAIN = { 'no-ambiguous-paths': ['#/paths/~1domain-monitor~1{id_or_domain}~1manual'] };
const EXCEPTIONS = { 'openapi/v2/openapi.yaml': MANUAL_DOMAIN, 'generated/v2.openapi.json': MANUAL_DOMAIN };

/** The configuration as it stands, for sources that lie in another folder. */
async function configFor(folder: string): Promise<string> {
  const config = parse(await readFile(join(ROOT, 'redocly.yaml'), 'utf8')) as Config;
  config.plugins = config.plugins.map((plugin) => join(ROOT, plugin));
  for (const api of Object.values(config.apis)) api.root = join(ROOT, api.root).replace(SOURCES, folder);
  const file = join(folder, 'redocly.yaml');
  await writeFile(file, JSON.stringify(config));
  await writeFile(join(folder, '.redocly.lint-ignore.yaml'), JSON.stringify(exceptionsFor(folder)));
  return file;
}

/** The linter looks for them beside its configuration. */
const exceptionsFor = (folder: string): object =>
  Object.fromEntries(
    Object.entries(EXCEPTIONS).map(([name, rules]) => [
      relative(folder, join(ROOT, name).replace(SOURCES, folder)),
      rules,
    ]),
  );

const [only] = process.argv.slice(2);
const surfaces = SURFACES.filter((surface) => surface === (only ?? surface));
try {
  if (surfaces.length === 0) throw new Error(`There is no surface ${only}.`);
  await withSources(async (folder) => {
    const apis = surfaces.flatMap((surface) => [surface, `${surface}-bundle`]);
    await redocly('lint', ...apis, '--config', await configFor(folder)).catch((error: Error) => {
      throw new Error(error.message.replaceAll(relative(ROOT, folder), 'openapi'), { cause: error });
    });
  });
  await withFolder(async (folder) => {
    const workflows = await layOut(folder, 'http://127.0.0.1');
    await redocly('lint', ...workflows.values(), '--extends', 'recommended');
  });
  const problems = await Promise.all(surfaces.map(async (surface) => misnamed(surface, await bundle(surface))));
  if (problems.flat().length > 0) throw new Error(problems.flat().join('\n'));
  console.log('The contract is clean.');
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
