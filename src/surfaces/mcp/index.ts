import type { ServeMcp } from '../../http/mcp.ts';
import { readContract } from '../generated.ts';
import type { McpParts } from './parts.ts';

/** Tools for agents, made of the abilities. The library behind it is loaded with the first message. */
export function mcpSurface(parts: Omit<McpParts, 'contract'>): ServeMcp {
  let endpoint: Promise<ServeMcp> | undefined;
  const load = async (): Promise<ServeMcp> => {
    const { createEndpoint } = await import('./endpoint.ts');
    return createEndpoint({ ...parts, contract: readContract('abilities') });
  };
  return async (...message) => (await (endpoint ??= load()))(...message);
}
