import assert from 'node:assert/strict';
import {
  Client,
  StreamableHTTPClientTransport,
  type CallToolResult,
  type RequestOptions,
} from '@modelcontextprotocol/client';
import type { Identity, World } from './world.ts';

/** The revision without sessions or a handshake, and the revision before it. */
export const [CURRENT, EARLIER] = ['2026-07-28', '2025-11-25'] as const;

type ResourceLink = Extract<CallToolResult['content'][number], { type: 'resource_link' }>;

export interface ConnectOptions {
  revision?: typeof CURRENT | typeof EARLIER;
  allTools?: boolean;
}

/** Response of a tool. */
export interface ToolResult {
  isError: boolean;
  /** The marked part, read as JSON, or null if nothing is marked. */
  // Data differs by tool.
  // oxlint-disable-next-line typescript/no-explicit-any
  data: any;
  /** The text outside the marks. */
  notes: string;
  /** The whole text. */
  text: string;
  // oxlint-disable-next-line typescript/no-explicit-any
  structured: any;
  /** Resources that the response links to. */
  links: ResourceLink[];
}

/** The official client. */
export class TestMcpClient {
  readonly client: Client;

  constructor(client: Client) {
    this.client = client;
  }

  static async connect(
    url: string,
    authorization: string | null,
    options: ConnectOptions = {},
  ): Promise<TestMcpClient> {
    const address = new URL(`/mcp${options.allTools ? '?tools=all' : ''}`, url);
    const headers: Record<string, string> = authorization === null ? {} : { authorization };
    return TestMcpClient.over(new StreamableHTTPClientTransport(address, { requestInit: { headers } }), options);
  }

  static async over(
    transport: Parameters<Client['connect']>[0],
    { revision = CURRENT }: ConnectOptions = {},
  ): Promise<TestMcpClient> {
    const mode = revision === CURRENT ? { pin: CURRENT } : 'legacy';
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    await client.connect(transport);
    return new TestMcpClient(client);
  }

  async call(name: string, args: object = {}, options?: RequestOptions): Promise<ToolResult> {
    const result = await this.client.callTool({ name, arguments: { ...args } }, options);
    const texts = result.content.flatMap((each) => (each.type === 'text' ? [each.text] : []));
    const text = texts.join('\n');
    const [, , data] = /<(data-[0-9a-f]{16})>\n([^]*)\n<\/\1>/.exec(text) ?? [];
    return {
      isError: result.isError === true,
      data: parsed(data),
      notes: texts.slice(1).join('\n'),
      text,
      structured: result.structuredContent,
      links: result.content.filter((each) => each.type === 'resource_link'),
    };
  }

  read(operation: string, input: object = {}, options?: RequestOptions): Promise<ToolResult> {
    return this.call('read_operation', { operation, input }, options);
  }

  run(operation: string, input: object = {}, more: object = {}, options?: RequestOptions): Promise<ToolResult> {
    return this.call('run_operation', { operation, input, ...more }, options);
  }

  /** Returns the preview of an operation that destroys something, and the token that confirms it. */
  async preview(name: string, input: object): Promise<ToolResult & { token: string }> {
    const answer = await this.run(name, input);
    assert.equal(answer.isError, false, answer.text);
    return { ...answer, token: tokenIn(answer) };
  }

  close(): Promise<void> {
    return this.client.close();
  }
}

/** The data can be a text that was cut. */
function parsed(data: string | undefined): unknown {
  if (data === undefined) return null;
  try {
    return JSON.parse(data);
  } catch {
    return data;
  }
}

export const tokenIn = ({ notes }: ToolResult): string =>
  /confirmation_token "([^"]+)"/.exec(notes)?.[1] ?? assert.fail(notes);

export const cursorIn = ({ notes }: ToolResult): string | null => /with cursor "([^"]+)"/.exec(notes)?.[1] ?? null;

export const connectMcp = (world: World, as: Identity = 'admin', options?: ConnectOptions): Promise<TestMcpClient> =>
  TestMcpClient.connect(world.url, world.authorizations[as], options);
