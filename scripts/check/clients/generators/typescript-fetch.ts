import { missingForClients, GENERATOR_VERSION } from '../../../build/clients/generator.ts';
import type { GeneratorChain } from '../chain.ts';
import { checkTypes, copyProgram, sdkClients, typescriptProgram } from '../tools.ts';

export const typescriptFetch: GeneratorChain = {
  name: 'typescript-fetch',
  version: `openapi-generator ${GENERATOR_VERSION}`,
  missing: missingForClients,
  notes: 'a PDF by the method with `Raw`, from `raw.arrayBuffer()`',
  generate: (work) => sdkClients('typescript-fetch', work),
  compile: async (work) => {
    await copyProgram('typescript-fetch', work);
    await checkTypes(work.folder, 'program.ts');
  },
  program: async ({ folder }) => typescriptProgram(folder),
};
