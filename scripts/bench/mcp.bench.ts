import { compareWithExpress } from './express-baseline.ts';
import { describeLoads, type ComparedLoad, type LoadTarget } from './load.ts';
import type { BenchService } from './processes.ts';
import { addFigure } from './report.ts';
import { startFleetAndService } from './sync.bench.ts';

const SITES = 20;
const PAGE = { per_page: 10 };
const REVISION = '2026-07-28';

/** Parameters of every message of a client. */
const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

function message(service: BenchService, method: string, params: { name?: string } = {}): LoadTarget {
  const { url, authorization } = service;
  return {
    process: service,
    url: `${url}/mcp`,
    authorization,
    headers: {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': REVISION,
      'mcp-method': method,
      ...(params.name !== undefined && { 'mcp-name': params.name }),
    },
    body: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: ENVELOPE } },
  };
}

/** Measures reading the sites as an agent, compared with the plain address, and listing the tools. */
export async function mcp(): Promise<void> {
  const { service, end } = await startFleetAndService(SITES);
  const { url, authorization } = service;
  const read = { name: 'read_operation', arguments: { operation: 'list-sites-v1', input: PAGE } };
  try {
    const began = performance.now();
    const { tools } = await answered(message(service, 'tools/list'));
    addFigure({ name: 'first message of MCP, which loads its library', value: performance.now() - began, unit: 'ms' });
    addFigure({
      name: 'list of tools, three characters a token',
      value: Math.ceil(JSON.stringify(tools).length / 3),
      unit: 'tokens',
      must: { limit: 2_000, better: 'lower' },
      aim: 1_000,
    });
    const { bytes, express, loads } = await compareWithExpress([
      message(service, 'tools/call', read),
      { process: service, url: `${url}/abilities/v1/svc/list-sites-v1/run`, authorization, body: { input: PAGE } },
    ]);
    const [overMcp, plain] = loads as [ComparedLoad, ComparedLoad];
    addFigure({
      name: 'list-sites-v1 over MCP, of stock Express',
      value: overMcp.ratio,
      unit: 'ratio',
      baseline: describeLoads(`stock Express, ${bytes} bytes`, express, overMcp),
    });
    addFigure({
      name: 'list-sites-v1 over MCP',
      value: overMcp.ratio / plain.ratio,
      unit: 'ratio',
      baseline: describeLoads('the plain address', plain, overMcp),
      must: { limit: 0.25, better: 'higher' },
      aim: 0.5,
    });
  } finally {
    await end();
  }
}

async function answered({ url, authorization = '', headers, body }: LoadTarget): Promise<{ tools: unknown[] }> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as { result: { tools: unknown[] } }).result;
}
