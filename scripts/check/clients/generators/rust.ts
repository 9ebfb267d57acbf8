import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { SURFACES } from '../../../../src/contract/surfaces.ts';
import { CACHE, missingForClients, GENERATOR_VERSION } from '../../../build/clients/generator.ts';
import { outputOf } from '../../../build/clients/run.ts';
import type { GeneratorChain, WorkFolders } from '../chain.ts';
import { copyProgram, documentOf, missingTool, openapiGenerator } from '../tools.ts';

/** Kept between runs: the crates that the clients need are compiled once. */
const TARGET = join(CACHE, 'rust-target');

export const rust: GeneratorChain = {
  name: 'rust',
  version: `openapi-generator ${GENERATOR_VERSION}`,
  missing: () => missingForClients() ?? missingTool('cargo', '--version'),
  notes:
    'a copy of the documents with `oneOf` for each `anyOf`, which becomes an empty struct; on abilities ' +
    '`--openapi-normalizer FILTER=method:post`, because a read by GET does not compile; an error is read from `content`, ' +
    'because `entity` has the wrong status; `useSingleRequestParameter=true`; files by `config.client`, because functions ' +
    'return an error for every response that is not JSON',
  generate: async (work) =>
    openapiGenerator('rust', { ...work, documents: await withOneOf(work) }, (surface) => ({
      packageName: `sitefleet-${surface}`,
      additionalProperties: { useSingleRequestParameter: true },
      ...(surface === 'abilities' && { openapiNormalizer: { FILTER: 'method:post' } }),
    })),
  compile: async (work) => {
    await copyProgram('rust', work);
    await outputOf('cargo', ['build', '--quiet', '--target-dir', TARGET], { cwd: work.folder });
  },
  program: async ({ folder }) => ({ command: join(TARGET, 'debug', 'program'), args: [], cwd: folder }),
};

/** Copies the documents with `oneOf` for each `anyOf`. Returns the folder. */
async function withOneOf(work: WorkFolders): Promise<string> {
  const folder = join(work.folder, 'documents');
  await mkdir(folder);
  for (const surface of SURFACES) {
    const file = documentOf(surface, work);
    await writeFile(join(folder, basename(file)), (await readFile(file, 'utf8')).replaceAll('"anyOf":', '"oneOf":'));
  }
  return folder;
}
