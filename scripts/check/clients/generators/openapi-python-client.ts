import { join } from 'node:path';
import { outputOf } from '../../../build/clients/run.ts';
import type { GeneratorChain } from '../chain.ts';
import { copyProgram, documentOf, forSurfaces, missingTool, programFolder, pythonFolder } from '../tools.ts';

const VERSION = '0.29.1';
const PACKAGE = `openapi-python-client==${VERSION}`;

export const openapiPythonClient: GeneratorChain = {
  name: 'openapi-python-client',
  version: VERSION,
  missing: () => missingTool('python3', '--version'),
  notes: 'a PDF from `sync_detailed(…).content`',
  generate: async (work) => {
    const command = join(await pythonFolder(PACKAGE), 'openapi-python-client');
    await forSurfaces((surface) => {
      const target = ['--meta', 'none', '--output-path', join(work.folder, `sitefleet_${surface}`)];
      return outputOf(command, ['generate', '--path', documentOf(surface, work), ...target], { cwd: work.folder });
    });
  },
  compile: async (work) => {
    await copyProgram('openapi-python-client', work);
    const python = join(await pythonFolder(PACKAGE), 'python3');
    await outputOf(python, ['-B', join(programFolder('openapi-python-client'), 'load.py')], { cwd: work.folder });
  },
  program: async ({ folder }) => ({
    command: join(await pythonFolder(PACKAGE), 'python3'),
    args: ['-B', 'program.py'],
    cwd: folder,
  }),
};
