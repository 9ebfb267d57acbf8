import type { ServeMcp } from '../../http/mcp.ts';
import { readContract } from '../generated.ts';
import type { McpParts } from './parts.ts';

/** Serves the abilities as tools for agents. The MCP library is loaded with the first message. */
export function mcpSurface(parts: Omit<McpParts, 'contract'>): ServeMcp {
  let endpoint: Promise<ServeMcp> | undefined;
  const load = async (): Promise<ServeMcp> => {
    const { createEndpoint } = await import('./endpoint.ts');
    return createEndpoint({ ...parts, contract: readContract('abilities') });
  };
  return async (...message) => (await (endpoint ??= load()))(...message);
}
