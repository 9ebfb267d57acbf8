import { readFile } from 'node:fs/promises';
import type { Document } from '../../../contract/document.ts';
import type { Surface } from '../../../../src/contract/surfaces.ts';
import { missingForClients, GENERATOR_VERSION } from '../../../build/clients/generator.ts';
import { outputOf } from '../../../build/clients/run.ts';
import type { GeneratorChain, WorkFolders } from '../chain.ts';
import { copyProgram, documentOf, missingTool, openapiGenerator } from '../tools.ts';

export const kotlin: GeneratorChain = {
  name: 'kotlin',
  version: `openapi-generator ${GENERATOR_VERSION}`,
  missing: () => missingForClients() ?? missingTool('mvn', '-v'),
  notes:
    '`serializationLibrary=jackson,enumPropertyNaming=UPPERCASE`; each `oneOf` and `anyOf` mapped to `kotlin.Any`, ' +
    'because the generator merges their variants into one class; `null` by a setting of Jackson; ' +
    'files by `request<Unit, File>` in a subclass of `ApiClient`, because the methods throw for CSV and PDF',
  generate: async (work) => {
    const mappings = { abilities: await unionsOf('abilities', work), v2: await unionsOf('v2', work) };
    return openapiGenerator('kotlin', work, (surface) => ({
      packageName: `sitefleet.${surface}`,
      schemaMappings: mappings[surface],
      additionalProperties: { serializationLibrary: 'jackson', enumPropertyNaming: 'UPPERCASE' },
    }));
  },
  compile: async (work) => {
    await copyProgram('kotlin', work);
    await outputOf('mvn', ['-q', '-B', 'compile', 'dependency:copy-dependencies'], { cwd: work.folder });
  },
  program: async ({ folder }) => ({
    command: 'java',
    args: ['-cp', 'target/classes:target/dependency/*', 'ProgramKt'],
    cwd: folder,
  }),
};

interface Union {
  anyOf?: { type?: string }[];
  oneOf?: { type?: string }[];
}

/** Maps the schemas that have several variants beside null. */
async function unionsOf(surface: Surface, work: WorkFolders): Promise<Record<string, string>> {
  const document = JSON.parse(await readFile(documentOf(surface, work), 'utf8')) as Document;
  const schemas = Object.entries((document.components?.schemas ?? {}) as Record<string, Union>);
  const isUnion = ({ anyOf = [], oneOf = [] }: Union): boolean =>
    [...anyOf, ...oneOf].filter(({ type }) => type !== 'null').length > 1;
  return Object.fromEntries(schemas.filter(([, schema]) => isUnion(schema)).map(([name]) => [name, 'kotlin.Any']));
}
