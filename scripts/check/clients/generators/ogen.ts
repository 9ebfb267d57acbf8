import { join } from 'node:path';
import { outputOf } from '../../../build/clients/run.ts';
import type { GeneratorChain } from '../chain.ts';
import { copyProgram, documentOf, forSurfaces, missingTool } from '../tools.ts';

const VERSION = 'v1.24.0';
const COMMAND = `github.com/ogen-go/ogen/cmd/ogen@${VERSION}`;

export const ogen: GeneratorChain = {
  name: 'ogen',
  version: VERSION,
  missing: () => missingTool('go', 'version'),
  notes:
    'abilities: `ignore_not_implemented: ["nested arrays in form parameters"]` leaves the input out of reads by GET ' +
    'that take a list; call them by POST',
  generate: async (work) => {
    await copyProgram('ogen', work);
    await forSurfaces((surface) =>
      outputOf(
        'go',
        ['run', COMMAND, '--config', 'ogen.yml', '--package', surface, '--target', surface, documentOf(surface, work)],
        { cwd: work.folder },
      ),
    );
  },
  compile: async ({ folder }) => {
    await outputOf('go', ['build', '-o', 'program', '.'], { cwd: folder });
  },
  program: async ({ folder }) => ({ command: join(folder, 'program'), args: [] }),
};
