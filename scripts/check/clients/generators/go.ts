import { join } from 'node:path';
import { missingForClients, GENERATOR_VERSION } from '../../../build/clients/generator.ts';
import { outputOf } from '../../../build/clients/run.ts';
import type { GeneratorChain } from '../chain.ts';
import { copyProgram, missingTool, sdkClients } from '../tools.ts';

export const go: GeneratorChain = {
  name: 'go',
  version: `openapi-generator ${GENERATOR_VERSION}`,
  missing: () => missingForClients() ?? missingTool('go', 'version'),
  notes: '`npm run sdk -- go`, with `enumClassPrefix=true`; a PDF from `Body` of the response',
  generate: (work) => sdkClients('go', work),
  compile: async (work) => {
    await copyProgram('go', work);
    await outputOf('go', ['build', '-o', 'program', '.'], { cwd: work.folder });
  },
  program: async ({ folder }) => ({ command: join(folder, 'program'), args: [] }),
};
