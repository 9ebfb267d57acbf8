import { missingForClients, GENERATOR_VERSION } from '../../../build/clients/generator.ts';
import { outputOf } from '../../../build/clients/run.ts';
import type { GeneratorChain } from '../chain.ts';
import { copyProgram, missingTool, openapiGenerator } from '../tools.ts';

export const java: GeneratorChain = {
  name: 'java',
  version: `openapi-generator ${GENERATOR_VERSION}`,
  missing: () => missingForClients() ?? missingTool('mvn', '-v'),
  notes:
    '`--library jersey3`, because the default library cannot send `null`; `useSingleRequestParameter=true`; ' +
    'a PDF by `ApiClient.invokeAPI` with `GenericType<byte[]>`',
  generate: (work) =>
    openapiGenerator('java', work, (surface) => ({
      library: 'jersey3',
      invokerPackage: `sitefleet.${surface}`,
      apiPackage: `sitefleet.${surface}.api`,
      modelPackage: `sitefleet.${surface}.model`,
      additionalProperties: { hideGenerationTimestamp: true, useSingleRequestParameter: true },
    })),
  compile: async (work) => {
    await copyProgram('java', work);
    await outputOf('mvn', ['-q', '-B', 'compile', 'dependency:copy-dependencies'], { cwd: work.folder });
  },
  program: async ({ folder }) => ({
    command: 'java',
    args: ['-cp', 'target/classes:target/dependency/*', 'Program'],
    cwd: folder,
  }),
};
