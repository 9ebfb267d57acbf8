import type { ServeMcp } from '../../http/mcp.ts';
import { readContract } from '../generated-files.ts';
import type { McpDeps } from './mcp-deps.ts';

export function mcpSurface(deps: Omit<McpDeps, 'contracts'>): ServeMcp {
  let endpoint: Promise<ServeMcp> | undefined;
  const load = async (): Promise<ServeMcp> => {
    const { createMcpEndpoint } = await import('./endpoint.ts');
    const contracts = { abilities: readContract('abilities'), v2: readContract('v2') };
    return createMcpEndpoint({ ...deps, contracts });
  };
  return async (...message) => {
    const serve = await (endpoint ??= load().catch((error: unknown) => {
      endpoint = undefined;
      throw error;
    }));
    return serve(...message);
  };
}
