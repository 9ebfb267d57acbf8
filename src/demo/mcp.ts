import { dirname, join } from 'node:path';

const ENTRY = join(dirname(import.meta.dirname), 'mcp', 'main.js');

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
