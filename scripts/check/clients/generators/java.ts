import { readFile } from 'node:fs/promises';
import type { Surface } from '../../../../src/contract/surfaces.ts';
import type { Document } from '../../../contract/document.ts';
import { missingForClients, GENERATOR_VERSION } from '../../../build/clients/generator.ts';
import { outputOf } from '../../../build/clients/run.ts';
import type { GeneratorChain, WorkFolders } from '../chain.ts';
import { copyProgram, documentOf, missingTool, openapiGenerator } from '../tools.ts';

export const java: GeneratorChain = {
  name: 'java',
  version: `openapi-generator ${GENERATOR_VERSION}`,
  missing: () => missingForClients() ?? missingTool('mvn', '-v'),
  notes:
    '`--library jersey3`, because the default library cannot send `null`; `useSingleRequestParameter=true`; ' +
    'each `oneOf` of objects mapped to `JsonNode`, because the client accepts every object as every variant and then ' +
    'finds two; a PDF by `ApiClient.invokeAPI` with `GenericType<byte[]>`',
  generate: async (work) => {
    const mappings = { abilities: await unionsOf('abilities', work), v2: await unionsOf('v2', work) };
    return openapiGenerator('java', work, (surface) => ({
      library: 'jersey3',
      invokerPackage: `sitefleet.${surface}`,
      apiPackage: `sitefleet.${surface}.api`,
      modelPackage: `sitefleet.${surface}.model`,
      schemaMappings: mappings[surface],
      additionalProperties: { hideGenerationTimestamp: true, useSingleRequestParameter: true },
    }));
  },
  compile: async (work) => {
    await copyProgram('java', work);
    await outputOf('mvn', ['-q', '-B', 'compile', 'dependency:copy-dependencies'], { cwd: work.folder });
  },
  program: async ({ folder }) => ({
    command: 'java',
    args: ['-cp', 'target/classes:target/dependency/*', 'Program'],
    cwd: folder,
  }),
};

interface Union {
  oneOf?: { $ref?: string }[];
}

/** Maps the schemas whose variants are all objects. */
async function unionsOf(surface: Surface, work: WorkFolders): Promise<Record<string, string>> {
  const document = JSON.parse(await readFile(documentOf(surface, work), 'utf8')) as Document;
  const schemas = Object.entries((document.components?.schemas ?? {}) as Record<string, Union>);
  const unions = schemas.filter(([, { oneOf }]) => oneOf?.every(({ $ref }) => $ref !== undefined));
  return Object.fromEntries(unions.map(([name]) => [name, 'com.fasterxml.jackson.databind.JsonNode']));
}
