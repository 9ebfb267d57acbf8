import { join } from 'node:path';
import { missingForClients, VERSION } from '../../../build/clients/generator.ts';
import { outputOf } from '../../../build/clients/run.ts';
import type { Chain } from '../chain.ts';
import { copyProgram, missingTool, sdkClients } from '../tools.ts';

export const go: Chain = {
  name: 'go',
  version: `openapi-generator ${VERSION}`,
  missing: () => missingForClients() ?? missingTool('go', 'version'),
  notes: '`npm run sdk -- go`, with `enumClassPrefix=true`',
  generate: (work) => sdkClients('go', work),
  compile: async (work) => {
    await copyProgram('go', work);
    await outputOf('go', ['build', '-o', 'program', '.'], { cwd: work.folder });
  },
  program: async ({ folder }) => ({ command: join(folder, 'program'), args: [] }),
};
