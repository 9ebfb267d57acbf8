import { join } from 'node:path';
import { SURFACES } from '../../contract/surfaces.ts';
import { generateClients, missingForClients, VERSION } from '../../sdk/generator.ts';
import type { Chain } from '../chain.ts';
import { checkTypes, copyProgram, typescriptProgram } from '../tools.ts';

export const typescriptFetch: Chain = {
  name: 'typescript-fetch',
  version: `openapi-generator ${VERSION}`,
  missing: missingForClients,
  notes: '',
  generate: ({ documents, folder }) => {
    const language = 'typescript-fetch' as const;
    const clients = SURFACES.map((surface) => ({ language, surface, folder: join(folder, surface) }));
    return generateClients(clients, join(folder, 'scratch'), documents);
  },
  compile: async (work) => {
    await copyProgram('typescript-fetch', work);
    await checkTypes(work.folder, 'program.ts');
  },
  program: async ({ folder }) => typescriptProgram(folder),
};
