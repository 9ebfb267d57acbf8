import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { missingForClients, GENERATOR_VERSION } from '../../../build/clients/generator.ts';
import type { GeneratorChain } from '../chain.ts';
import { checkTypes, copyProgram, missingTool, npmFolder, openapiGenerator, typescriptProgram } from '../tools.ts';

export const AXIOS = 'axios@1.21.1';

export const typescriptAxios: GeneratorChain = {
  name: 'typescript-axios',
  version: `openapi-generator ${GENERATOR_VERSION}`,
  missing: () => missingForClients() ?? missingTool('npm', '-v'),
  notes: "`useSingleRequestParameter=true`; a PDF with `responseType: 'arraybuffer'`",
  generate: (work) =>
    openapiGenerator('typescript-axios', work, () => ({ additionalProperties: { useSingleRequestParameter: true } })),
  compile: async (work) => {
    await copyProgram('typescript-axios', work);
    await symlink(join(await npmFolder(AXIOS), 'node_modules'), join(work.folder, 'node_modules'));
    await checkTypes(work.folder, 'program.ts');
  },
  program: async ({ folder }) => typescriptProgram(folder),
};
