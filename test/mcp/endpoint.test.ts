import assert from 'node:assert/strict';
import { CURRENT, TestMcpClient, connectMcp } from '../support/mcp.ts';
import { startWorld, type Identity, type World } from '../support/world.ts';

// Runs on SQLite only: the test is about the MCP protocol.

const OTHER_PAGE = 'https://tools.example';

describe('MCP endpoint', () => {
  let world: World;
  before(async () => {
    const env = { SITEFLEET_CORS_ORIGINS: OTHER_PAGE, SITEFLEET_LOGIN_FAILURE_LIMIT: '3' };
    world = await startWorld({ env });
  });
  after(() => world.close());

  /** Parameters of every message of a client. */
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': CURRENT,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
  type Method = 'get' | 'post' | 'put' | 'delete' | 'options';
  function send(
    message: string | object | undefined,
    headers: Record<string, string> = {},
    as: Identity = 'admin',
    method: Method = 'post',
  ) {
    const agent = world.agent(as).set({ accept: 'application/json, text/event-stream' });
    const request = agent[method]('/mcp').set(headers);
    if (message === undefined) return request;
    // A string is sent unchanged with the content type that was set before.
    return request.type(headers['content-type'] ?? 'application/json').send(message);
  }

  it('when a credential is missing, then the response is 401', async () => {
    const { status, headers, text } = await send(LIST, {}, 'nobody');
    assert.deepEqual([status, JSON.parse(text).code], [401, 'svc_unauthenticated']);
    assert.match(headers['www-authenticate'] ?? '', /Basic.*Bearer/);
    await assert.rejects(connectMcp(world, 'nobody'), /401|Unauthorized/i);
  });

  it('when logins fail too often, then further failures get 429 and valid credentials do not', async () => {
    const wrong = { authorization: 'Bearer wrong' };
    const statuses = [];
    for (let attempt = 0; attempt < 5; attempt++) statuses.push((await send(LIST, wrong)).status);
    assert.deepEqual(statuses.slice(0, 3), [401, 401, 401]);
    assert.equal(statuses.at(-1), 429);
    assert.equal((await send(LIST)).status, 200);
  });

  it('when a page of another origin calls, then the response is 403 before the credential is checked', async () => {
    for (const origin of ['https://evil.example', 'null', 'http://localhost:1'])
      assert.equal((await send(LIST, { origin })).status, 403, origin);
  });

  it('when the origin is the service or allowed by the operator, then the call succeeds', async () => {
    assert.equal((await send(LIST, { origin: world.url })).status, 200);
    const named = await send(LIST, { origin: OTHER_PAGE });
    assert.deepEqual([named.status, named.headers['access-control-allow-origin']], [200, OTHER_PAGE]);
    const preflight = await send(undefined, { origin: OTHER_PAGE }, 'nobody', 'options');
    assert.equal(preflight.status, 204);
    assert.match(preflight.headers['access-control-allow-headers'] ?? '', /MCP-Protocol-Version/);
  });

  it('when the method is not POST, then the response is 405 with the allowed methods', async () => {
    for (const method of ['get', 'delete', 'put'] as const) {
      const { status, headers } = await send(undefined, {}, 'admin', method);
      assert.deepEqual([status, headers['allow']], [405, 'OPTIONS, POST'], method);
    }
  });

  it('when the body is not exactly one message, then it is rejected', async () => {
    assert.equal((await send('{')).status, 400);
    assert.equal((await send([LIST, LIST])).status, 400);
    assert.equal((await send('"tools/list"')).status, 400);
    assert.equal((await send({})).status, 400);
    assert.equal((await send('a=1', { 'content-type': 'application/x-www-form-urlencoded' })).status, 415);
    assert.equal((await send({ ...LIST, params: { filler: 'x'.repeat(9 * 1024 * 1024) } })).status, 413);
    assert.equal((await send(LIST, { accept: 'text/plain' })).status, 406);
  });

  it('when a method or resource is unknown, then the error has the code of the protocol', async () => {
    const unknown = await send({ ...LIST, method: 'prompts/list' });
    assert.match(unknown.text, /-32601/);
    const mcp = await connectMcp(world);
    await assert.rejects(mcp.client.readResource({ uri: 'sitefleet://guides/../config' }), { code: -32_602 });
    await mcp.close();
  });

  it('when a message has a complete response, then its length is announced, also of text beyond ASCII', async () => {
    const method = 'tools/call';
    const name = 'find_operations';
    const headers = { 'mcp-protocol-version': CURRENT, 'mcp-method': method, 'mcp-name': name };
    const params = { name, arguments: { query: 'Ünbekanntes €' }, _meta };
    const answer = await send({ ...LIST, method, params }, headers);
    assert.deepEqual([answer.status, answer.headers['transfer-encoding']], [200, undefined]);
    assert.match(answer.text, /Ünbekanntes €/i);
    assert.equal(Number(answer.headers['content-length']), Buffer.byteLength(answer.text));
  });

  it('when a client subscribes to changes, then the response says that there are none', async () => {
    const method = 'subscriptions/listen';
    const headers = { 'mcp-protocol-version': CURRENT, 'mcp-method': method };
    const message = { ...LIST, method, params: { notifications: { toolsListChanged: true }, _meta } };
    assert.match((await send(message, headers)).text, /Subscription limit reached/);
  });

  it('when a key is used, then its scope sets the permissions', async () => {
    const mcp = await connectMcp(world, 'reader');
    assert.equal((await mcp.read('count-sites-v1')).data.total, 0);
    await mcp.close();
  });

  it('when a rate limit is set, then MCP messages count', async () => {
    const limited = await startWorld({ env: { SITEFLEET_RATE_LIMIT: '3' } });
    try {
      const mcp = await TestMcpClient.connect(limited.url, limited.authorizations.admin, { revision: '2025-11-25' });
      await assert.rejects(async () => {
        for (let call = 0; call < 5; call++) await mcp.client.listTools();
      }, /429|limited/i);
      await mcp.close();
    } finally {
      await limited.close();
    }
  });
});

describe('MCP resources', () => {
  let world: World;
  let mcp: TestMcpClient;
  before(async () => {
    world = await startWorld();
    mcp = await connectMcp(world, 'viewer');
  });
  after(async () => {
    await mcp.close();
    await world.close();
  });

  async function read(uri: string): Promise<string> {
    const [content] = (await mcp.client.readResource({ uri })).contents;
    return content && 'text' in content ? content.text : assert.fail(uri);
  }

  it('when resources are listed, then they include contract and guides, and each can be read', async () => {
    const { resources } = await mcp.client.listResources();
    const uris = resources.map(({ uri }) => uri);
    assert.ok(uris.includes('sitefleet://openapi/abilities') && uris.includes('sitefleet://guides/mcp'));
    for (const uri of uris) assert.ok((await read(uri)).length > 100, uri);
    assert.ok(JSON.parse(await read('sitefleet://openapi/abilities')).paths['/svc/list-sites-v1/run']);
  });

  /** Targets of the links outside of code. */
  const linksIn = (text: string): string[] => {
    const prose = text.replace(/```[\s\S]*?\n```|`[^`\n]*`/g, '');
    return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, href = '']) => href);
  };

  // Needs generated/docs.
  it('when a guide is read, then its links are resources, or URLs that the service serves, and its tables are there', async () => {
    const { resources } = await mcp.client.listResources();
    const guides = resources.filter(({ uri }) => uri.startsWith('sitefleet://guides/'));
    const links = new Set<string>();
    for (const { uri } of guides) for (const href of linksIn(await read(uri))) links.add(href);
    assert.ok(links.has('sitefleet://guides/errors') && links.has(`${world.url}/docs/examples/ci/github.yml`));
    for (const href of links) {
      if (href.startsWith('#')) continue;
      if (href.startsWith('sitefleet://')) assert.ok((await read(href)).length > 100, href);
      else if (href.startsWith(world.url))
        assert.equal((await world.agent('nobody').get(href.slice(world.url.length))).status, 200, href);
      else assert.match(href, /^https:\/\//);
    }
    assert.match(await read('sitefleet://guides/rights'), /`updates:run`[^\n]*run-updates-v1/);
  });

  it('when a description has links, then they are resources', async () => {
    const { structured } = await mcp.call('describe_operation', { operation: 'list-updates-v1', output: true });
    assert.doesNotMatch(JSON.stringify(structured), /\]\(\//);
    const whole = await read('sitefleet://operations/run-updates-v1');
    assert.match(whole, /\[jobs_get\]\(sitefleet:\/\/operations\/jobs_get\)/);
  });

  it('when an ability resource is read, then it has the schemas, and its name can be completed', async () => {
    const ability = JSON.parse(await read('sitefleet://abilities/list-sites-v1'));
    assert.ok(ability.input_schema.properties.per_page && ability.output_schema.properties.items);
    const { resourceTemplates } = await mcp.client.listResourceTemplates();
    const [{ uriTemplate = '' } = {}] = resourceTemplates;
    const { completion } = await mcp.client.complete({
      ref: { type: 'ref/resource', uri: uriTemplate },
      argument: { name: 'name', value: 'delete-' },
    });
    assert.equal(completion.values.length, 5);
  });
});
