import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { outputOf } from '../../../build/clients/run.ts';
import type { GeneratorChain } from '../chain.ts';
import { copyProgram, documentOf, forSurfaces, missingTool } from '../tools.ts';

const VERSION = 'v2.8.2';
const COMMAND = `github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@${VERSION}`;

export const oapiCodegen: GeneratorChain = {
  name: 'oapi-codegen',
  version: VERSION,
  missing: () => missingTool('go', 'version'),
  notes: '`nullable-type: true`, so that a field can be set to `null`; files from `Body` of the response',
  generate: async (work) => {
    await copyProgram('oapi-codegen', work);
    await forSurfaces(async (surface) => {
      await mkdir(join(work.folder, surface), { recursive: true });
      return outputOf('go', ['run', COMMAND, '-config', `${surface}.yaml`, documentOf(surface, work)], {
        cwd: work.folder,
      });
    });
  },
  compile: async ({ folder }) => {
    await outputOf('go', ['build', '-o', 'program', '.'], { cwd: folder });
  },
  program: async ({ folder }) => ({ command: join(folder, 'program'), args: [] }),
};
