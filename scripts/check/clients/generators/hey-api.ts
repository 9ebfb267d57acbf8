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

const VERSION = '0.99.0';

export const heyApi: GeneratorChain = {
  name: 'hey-api',
  version: `@hey-api/openapi-ts ${VERSION}`,
  missing: () => missingTool('npm', '-v'),
  notes: "a PDF with `parseAs: 'arrayBuffer'`",
  generate: async (work) => {
    // The generator needs TypeScript beside it.
    const folder = await npmFolder(`@hey-api/openapi-ts@${VERSION}`, 'typescript@5.9.3');
    const command = join(folder, 'node_modules', '.bin', 'openapi-ts');
    await forSurfaces((surface) => {
      const output = join(work.folder, surface);
      return outputOf(command, ['-i', documentOf(surface, work), '-o', output, '--no-log-file']);
    });
  },
  compile: async (work) => {
    await copyProgram('hey-api', work);
    await checkTypes(work.folder, 'program.ts');
  },
  program: async ({ folder }) => typescriptProgram(folder),
};
