import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JSONRPCMessage, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { Relay } from '../../src/mcp/relay.ts';
import { builtEntry } from '../support/built-entry.ts';
import { CURRENT, EARLIER, TestMcpClient, type ConnectOptions } from '../support/mcp.ts';
import { runEntry } from '../support/service-process.ts';
import { startWorld, type World } from '../support/world.ts';

// Runs on SQLite only: the test is about the MCP protocol.

/** Returns user and password of a Basic header. */
const loginOf = (authorization: string | null): string[] =>
  Buffer.from(authorization?.split(' ')[1] ?? '', 'base64')
    .toString('utf8')
    .split(':');

describe('MCP over stdio', () => {
  let world: World;
  let key: string;
  before(async () => {
    world = await startWorld({ sites: 2 });
    const { access } = world.container.services.access;
    const user = await access.createUser({ name: 'agent', role: 'administrator' }, 'test');
    key = (await access.keys.create({ userId: user.id, label: 'a', scope: 'read_write', expiresAt: null }, 'test'))
      .secret;
  });
  after(() => world.close());

  const start = async (
    env: Record<string, string>,
    options?: ConnectOptions,
    ...args: string[]
  ): Promise<TestMcpClient> =>
    TestMcpClient.over(
      new StdioClientTransport({
        command: process.execPath,
        args: [await builtEntry('mcp'), ...args],
        env: { SITEFLEET_URL: world.url, ...env },
      }),
      options,
    );

  it('when a client starts the command, then it reaches the service', async () => {
    const mcp = await start({ SITEFLEET_KEY: key }, { revision: CURRENT });
    assert.equal((await mcp.client.listTools()).tools.length, 9);
    assert.equal((await mcp.read('count-sites-v1')).data.total, 2);
    const added = await mcp.run('tags_add', { body: { name: 'from stdio' } });
    assert.equal(added.structured.untrusted_data.data.name, 'from stdio');
    const found = await mcp.call('find_operations', { query: 'list tags' });
    assert.ok(found.structured.operations.some(({ operation }: { operation: string }) => operation === 'tags_list'));
    await mcp.close();
  });

  it('when an older client uses a password and all tools, then each ability is a tool', async () => {
    const [SITEFLEET_USER = '', SITEFLEET_PASSWORD = ''] = loginOf(world.authorizations.viewer);
    const mcp = await start({ SITEFLEET_USER, SITEFLEET_PASSWORD }, { revision: EARLIER }, '--tools', 'all');
    const { tools } = await mcp.client.listTools();
    assert.ok(tools.some(({ name }) => name === 'list-sites-v1') && !tools.some(({ name }) => name === 'add-tag-v1'));
    assert.equal((await mcp.call('count-sites-v1')).data.total, 2);
    await mcp.close();
  });

  it('when the credential is refused, then every call says so', async () => {
    await assert.rejects(start({ SITEFLEET_KEY: 'wrong' }, { revision: EARLIER }), /rejected the credential/);
  });

  it('when no server is listening, then every call fails with that reason', async () => {
    const SITEFLEET_URL = 'http://127.255.0.1:40404';
    await assert.rejects(start({ SITEFLEET_KEY: key, SITEFLEET_URL }, { revision: EARLIER }), /could not be reached/);
  });

  it('when the environment has no credential, then the command exits with one line', async () => {
    const { code, out, err } = await runEntry('mcp', [], {
      SITEFLEET_KEY: '',
      SITEFLEET_USER: '',
      SITEFLEET_URL: world.url,
    });
    assert.deepEqual([code, out], [1, '']);
    assert.equal(err, 'SITEFLEET_KEY is required, or SITEFLEET_USER and SITEFLEET_PASSWORD.\n');
  });

  it('when the client has gone, then messages and failures that are still to be sent are dropped', async () => {
    const stdin = new PassThrough();
    const local = new StdioServerTransport(stdin, new PassThrough());
    let lose = (_error: Error): void => undefined;
    const remote = {
      onmessage: undefined as ((message: JSONRPCMessage) => void) | undefined,
      start: () => Promise.resolve(),
      close: () => Promise.resolve(),
      send: () => new Promise<void>((_resolve, reject) => (lose = reject)),
    };
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    const others = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection').on('unhandledRejection', note);
    try {
      const ended = new Relay(local, remote as unknown as StreamableHTTPClientTransport).run();
      await nextTurn();
      stdin.write('{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n');
      await nextTurn();
      const closed = local.close();
      lose(new Error('The connection was lost.'));
      remote.onmessage?.({ jsonrpc: '2.0', id: 2, result: {} });
      await Promise.all([closed, ended]);
      await nextTurn();
    } finally {
      process.removeAllListeners('unhandledRejection');
      for (const listener of others) process.on('unhandledRejection', listener);
    }
    assert.deepEqual(unhandled, []);
  });
});
