import { join, resolve } from 'node:path';
import { missingForClients, GENERATOR_VERSION } from '../../../build/clients/generator.ts';
import { hasTool, outputOf } from '../../../build/clients/run.ts';
import { SURFACES } from '../../../../src/contract/surfaces.ts';
import type { GeneratorChain } from '../chain.ts';
import { copyProgram, missingTool, programFolder, pythonFolder, sdkClients } from '../tools.ts';

/** Modules that the generated clients need. */
const MODULES = [
  'pydantic==2.13.4',
  'urllib3==2.7.0',
  'python-dateutil==2.9.0.post0',
  'typing-extensions==4.15.0',
] as const;
const IMPORTS = 'import pydantic, urllib3, dateutil, typing_extensions; assert pydantic.VERSION >= "2"';

/** Returns the installed Python if it has the modules, else one of a virtual environment. */
const python = async (): Promise<string> =>
  hasTool('python3', '-c', IMPORTS) ? 'python3' : join(await pythonFolder(...MODULES), 'python3');

export const pythonChain: GeneratorChain = {
  name: 'python',
  version: `openapi-generator ${GENERATOR_VERSION}`,
  missing: () => missingForClients() ?? missingTool('python3', '--version'),
  notes:
    '`npm run sdk -- python`; a PDF by the method with `_without_preload_content`; also reads every documented example and makes 42 calls',
  generate: (work) => sdkClients('python', work),
  compile: async (work) => {
    await copyProgram('python', work);
    await outputOf(await python(), ['-m', 'compileall', '-q', work.folder]);
  },
  program: async ({ folder }) => ({
    command: await python(),
    args: ['-B', 'program.py'],
    cwd: folder,
    env: environment(folder),
  }),
  check: async ({ documents, folder }, { url, user, password, apiKey }) => {
    const script = join(programFolder('python'), 'try_clients.py');
    const args = ['-B', script, resolve(documents), url, user, password, apiKey];
    return (await outputOf(await python(), args, { env: environment(folder) })).trim();
  },
};

const environment = (folder: string): NodeJS.ProcessEnv => ({
  ...process.env,
  PYTHONPATH: SURFACES.map((surface) => join(folder, surface)).join(':'),
});
