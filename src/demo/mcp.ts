import { dirname, join } from 'node:path';

/** Compiled file that `npm run mcp` starts. */
const ENTRY = join(dirname(import.meta.dirname), 'mcp', 'main.js');

/**
 * Returns the configuration of an MCP client, with one server over HTTP and one that the client starts as a process.
 */
export function mcpConfiguration(url: string, key: string): string {
  const servers = {
    sitefleet: { type: 'http', url: `${url}/mcp`, headers: { Authorization: `Bearer ${key}` } },
    'sitefleet-stdio': {
      command: process.execPath,
      args: [ENTRY],
      env: { SITEFLEET_URL: url, SITEFLEET_KEY: key },
    },
  };
  return JSON.stringify({ mcpServers: servers }, null, 2);
}
