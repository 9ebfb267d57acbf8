import { missingForClients, VERSION } from '../../../build/clients/generator.ts';
import type { Chain } from '../chain.ts';
import { checkTypes, copyProgram, sdkClients, typescriptProgram } from '../tools.ts';

export const typescriptFetch: Chain = {
  name: 'typescript-fetch',
  version: `openapi-generator ${VERSION}`,
  missing: missingForClients,
  notes: '',
  generate: (work) => sdkClients('typescript-fetch', work),
  compile: async (work) => {
    await copyProgram('typescript-fetch', work);
    await checkTypes(work.folder, 'program.ts');
  },
  program: async ({ folder }) => typescriptProgram(folder),
};
