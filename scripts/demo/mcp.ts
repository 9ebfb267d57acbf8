import { dirname, join } from 'node:path';

/** The entry of `npm run mcp`, built as this file is. */
const ENTRY = join(dirname(dirname(import.meta.dirname)), 'src', 'mcp', 'main.js');

/** What a client of MCP is configured with, over HTTP and over a process that it starts. */
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
