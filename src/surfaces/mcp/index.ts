import type { ServeMcp } from '../../http/mcp.ts';
import { readContract } from '../generated-files.ts';
import type { McpDeps } from './mcp-deps.ts';

/** Loads the MCP library with the first message. */
export function mcpSurface(deps: Omit<McpDeps, 'contract'>): ServeMcp {
  let endpoint: Promise<ServeMcp> | undefined;
  const load = async (): Promise<ServeMcp> => {
    const { createMcpEndpoint } = await import('./endpoint.ts');
    return createMcpEndpoint({ ...deps, contract: readContract('abilities') });
  };
  return async (...message) => (await (endpoint ??= load()))(...message);
}
