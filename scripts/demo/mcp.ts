import { dirname, join } from 'node:path';

/** The compiled entry of `npm run mcp`, beside the compiled demo. */
const ENTRY = join(dirname(dirname(import.meta.dirname)), 'src', 'mcp', 'main.js');

/** Returns the configuration of an MCP client, for HTTP and for a process that it starts. */
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
