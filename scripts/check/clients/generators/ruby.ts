import { join } from 'node:path';
import { missingForClients, GENERATOR_VERSION } from '../../../build/clients/generator.ts';
import { outputOf } from '../../../build/clients/run.ts';
import type { GeneratorChain } from '../chain.ts';
import { copyProgram, missingTool, openapiGenerator, programFolder } from '../tools.ts';

const PATHS = ['-I', 'abilities/lib', '-I', 'v2/lib'];

export const ruby: GeneratorChain = {
  name: 'ruby',
  version: `openapi-generator ${GENERATOR_VERSION}`,
  missing: () => missingForClients() ?? missingTool('ruby', '-rtyphoeus', '-e', ''),
  notes:
    '`--model-name-mappings ApiError=ErrorBody`, because its own exception class is called `ApiError`; an API key with a ' +
    'subclass of `Configuration`, because an empty user and password replace it',
  generate: (work) =>
    openapiGenerator('ruby', work, (surface) => ({
      modelNameMappings: { ApiError: 'ErrorBody' },
      additionalProperties: {
        gemName: `sitefleet_${surface}`,
        moduleName: surface === 'v2' ? 'SitefleetV2' : 'SitefleetAbilities',
      },
    })),
  compile: async (work) => {
    await copyProgram('ruby', work);
    await outputOf('ruby', [...PATHS, join(programFolder('ruby'), 'load.rb')], { cwd: work.folder });
  },
  program: async ({ folder }) => ({ command: 'ruby', args: [...PATHS, 'program.rb'], cwd: folder }),
};
