import { missingForClients, GENERATOR_VERSION } from '../../../build/clients/generator.ts';
import type { GeneratorChain } from '../chain.ts';
import { openapiGenerator } from '../tools.ts';

export const csharp: GeneratorChain = {
  name: 'csharp',
  version: `openapi-generator ${GENERATOR_VERSION}`,
  missing: missingForClients,
  notes: 'not run by us: generated, but neither compiled nor run, because the check has no .NET SDK',
  generate: (work) => openapiGenerator('csharp', work, (surface) => ({ packageName: `Sitefleet.${surface}` })),
};
