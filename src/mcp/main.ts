#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { readClientConfig } from '../platform/config.ts';
import { StartupError, startupErrorMessage } from '../shared/startup-error.ts';

const USAGE = `npm run --silent mcp -- [--tools all]

Runs an MCP server on standard input and output. It forwards all messages to a Sitefleet service:

  SITEFLEET_URL       URL of the service (default: http://127.0.0.1:8080)
  SITEFLEET_KEY       an API key, or
  SITEFLEET_USER, SITEFLEET_PASSWORD   a user and an application password
  SITEFLEET_MCP_TOOLS   search (default) or all; same as --tools
`;

try {
  const { values } = parseArgs({ options: { tools: { type: 'string' }, help: { type: 'boolean', default: false } } });
  if (values.help) process.stderr.write(USAGE);
  else await relay(values.tools);
} catch (error) {
  process.stderr.write(`${startupErrorMessage(error)}\n`);
  process.exitCode = 1;
}

async function relay(wanted: string | undefined): Promise<void> {
  const { url, authorization, mcpTools } = readClientConfig();
  const tools = wanted ?? mcpTools;
  if (tools !== 'all' && tools !== 'search') throw new StartupError('--tools must be search or all.');
  // Configuration errors are reported before the large libraries are loaded.
  const [{ StreamableHTTPClientTransport }, { StdioServerTransport }, { Relay }] = await Promise.all([
    import('@modelcontextprotocol/client'),
    import('@modelcontextprotocol/server/stdio'),
    import('./relay.ts'),
  ]);
  const address = new URL(`${url}/mcp${tools === 'all' ? '?tools=all' : ''}`);
  const remote = new StreamableHTTPClientTransport(address, { requestInit: { headers: { authorization } } });
  await new Relay(new StdioServerTransport(), remote).run();
}
