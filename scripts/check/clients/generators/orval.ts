import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { outputOf } from '../../../build/clients/run.ts';
import type { GeneratorChain } from '../chain.ts';
import {
  checkTypes,
  copyProgram,
  documentOf,
  forSurfaces,
  missingTool,
  npmFolder,
  typescriptProgram,
} from '../tools.ts';
import { AXIOS } from './typescript-axios.ts';

const VERSION = '8.38.0';

export const orval: GeneratorChain = {
  name: 'orval',
  version: VERSION,
  missing: () => missingTool('npm', '-v'),
  notes: "`--client axios`; a PDF with `responseType: 'arraybuffer'`",
  generate: async (work) => {
    const modules = join(await npmFolder(`orval@${VERSION}`, AXIOS), 'node_modules');
    await symlink(modules, join(work.folder, 'node_modules'));
    await forSurfaces((surface) => {
      const output = join(work.folder, surface, 'client.ts');
      const args = ['--input', documentOf(surface, work), '--output', output, '--client', 'axios'];
      return outputOf(join(modules, '.bin', 'orval'), args, { cwd: work.folder });
    });
  },
  compile: async (work) => {
    await copyProgram('orval', work);
    await checkTypes(work.folder, 'program.ts');
  },
  program: async ({ folder }) => typescriptProgram(folder),
};
