import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { missingForClients, GENERATOR_VERSION } from '../../../build/clients/generator.ts';
import { outputOf } from '../../../build/clients/run.ts';
import type { GeneratorChain } from '../chain.ts';
import { copyProgram, forSurfaces, missingTool, programFolder, sdkClients } from '../tools.ts';

/** Guzzle of Debian's package php-guzzlehttp-guzzle, because the check does not use Composer. */
const GUZZLE = '/usr/share/php/GuzzleHttp/autoload.php';

export const php: GeneratorChain = {
  name: 'php',
  version: `openapi-generator ${GENERATOR_VERSION}`,
  missing: () => missingForClients() ?? missingTool('php', '-v'),
  notes:
    '`npm run sdk -- php`; dates and times of a query as text, because the client cannot write a `DateTime` into a query',
  generate: (work) => sdkClients('php', work),
  compile: async (work) => {
    await copyProgram('php', work);
    const script = join(programFolder('php'), 'load.php');
    await forSurfaces((surface) => outputOf('php', ['-n', script, join(work.folder, surface, 'lib')]));
  },
  program: async ({ folder }) => {
    if (!existsSync(GUZZLE)) return null;
    return { command: 'php', args: ['-d', `auto_prepend_file=${GUZZLE}`, 'program.php'], cwd: folder };
  },
};
