import { missingForClients, VERSION } from '../../../build/clients/generator.ts';
import type { Chain } from '../chain.ts';
import { openapiGenerator } from '../tools.ts';

export const csharp: Chain = {
  name: 'csharp',
  version: `openapi-generator ${VERSION}`,
  missing: missingForClients,
  notes: 'generated, not compiled: the check has no .NET SDK',
  generate: (work) => openapiGenerator('csharp', work, (surface) => ({ packageName: `Sitefleet.${surface}` })),
};
