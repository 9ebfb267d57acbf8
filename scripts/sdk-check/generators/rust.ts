import { join } from 'node:path';
import { CACHE, missingForClients, VERSION } from '../../sdk/generator.ts';
import { outputOf } from '../../sdk/run.ts';
import type { Chain } from '../chain.ts';
import { copyProgram, missingTool, openapiGenerator } from '../tools.ts';

/** Kept between runs: the crates that the clients need are compiled once. */
const TARGET = join(CACHE, 'rust-target');

export const rust: Chain = {
  name: 'rust',
  version: `openapi-generator ${VERSION}`,
  missing: () => missingForClients() ?? missingTool('cargo', '--version'),
  notes:
    'abilities: `--openapi-normalizer FILTER=method:post`, because a read by GET does not compile; read an error from ' +
    '`content`, because `entity` has the wrong status',
  generate: (work) =>
    openapiGenerator('rust', work, (surface) => ({
      packageName: `sitefleet-${surface}`,
      ...(surface === 'abilities' && { openapiNormalizer: { FILTER: 'method:post' } }),
    })),
  compile: async (work) => {
    await copyProgram('rust', work);
    await outputOf('cargo', ['build', '--quiet', '--target-dir', TARGET], { cwd: work.folder });
  },
  program: async ({ folder }) => ({ command: join(TARGET, 'debug', 'program'), args: [], cwd: folder }),
};
