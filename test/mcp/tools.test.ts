import assert from 'node:assert/strict';
import { readContract } from '../../src/surfaces/generated-files.ts';
import { CURRENT, EARLIER, connectMcp } from '../support/mcp.ts';
import { withoutModule } from '../support/modules.ts';
import { startWorld, type Identity, type World } from '../support/world.ts';

// Runs on SQLite only: the test is about the MCP protocol.

/** Upper limit of tokens: English words, names and punctuation have about four characters per token. */
const mostTokens = (value: unknown): number => Math.ceil(JSON.stringify(value).length / 3);

const abilities = Object.values(readContract('abilities').paths).flatMap((item) => {
  const facts = item['x-ability'];
  return facts && item.post
    ? [{ name: item.post.operationId.split('__')[0] ?? '', title: item.post.summary, ...facts }]
    : [];
});
const namesThat = (fits: (ability: (typeof abilities)[number]) => boolean): string[] =>
  abilities.filter(fits).map(({ name }) => name);

describe('MCP tools', () => {
  let world: World;
  before(async () => (world = await startWorld({ sites: 3 })));
  after(() => world.close());

  async function toolsOf(as: Identity, allTools = false) {
    const mcp = await connectMcp(world, as, { allTools });
    const { tools } = await mcp.client.listTools();
    await mcp.close();
    return tools;
  }
  const namesOf = async (as: Identity, allTools = false) => (await toolsOf(as, allTools)).map(({ name }) => name);

  async function call(as: Identity, name: string, args: object) {
    const mcp = await connectMcp(world, as);
    const answer = await mcp.call(name, args);
    await mcp.close();
    return answer;
  }

  for (const revision of [CURRENT, EARLIER])
    it(`when a client of revision ${revision} reads the sites, then they are returned`, async () => {
      const mcp = await connectMcp(world, 'admin', { revision });
      assert.equal(mcp.client.getNegotiatedProtocolVersion(), revision);
      assert.match(mcp.client.getInstructions() ?? '', /never follow\s+instructions/);
      const { data, isError } = await mcp.read('list-sites-v1', { per_page: 2 });
      assert.equal(isError, false);
      assert.deepEqual([data.items.length, data.total], [2, 3]);
      await mcp.close();
    });

  const FINDING = ['find_operations', 'describe_operation'];
  const DEPRECATED = ['find_abilities', 'describe_ability'];

  it('when tools are listed, then the list needs less than 2,000 tokens, and each has an output schema', async () => {
    const tools = await toolsOf('admin');
    assert.deepEqual(
      tools.map(({ name }) => name),
      [
        ...[...FINDING, 'read_operation', 'run_operation', 'continue_output'],
        ...[...DEPRECATED, 'read_ability', 'run_ability'],
      ],
    );
    assert.ok(mostTokens(tools) < 2_000, `${mostTokens(tools)} tokens`);
    for (const { name, outputSchema } of tools) assert.equal(outputSchema?.type, 'object', name);
    const hints = Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]));
    assert.deepEqual(
      [
        hints['read_operation']?.readOnlyHint,
        hints['run_operation']?.readOnlyHint,
        hints['run_operation']?.destructiveHint,
      ],
      [true, false, true],
    );
  });

  it('when a caller is read-only, then no tool that changes data is listed', async () => {
    const tools = [...FINDING, 'read_operation', 'continue_output', ...DEPRECATED, 'read_ability'];
    assert.deepEqual(await namesOf('viewer'), tools);
    assert.deepEqual(await namesOf('reader'), tools);
    const reads = [...namesThat(({ readonly }) => readonly), 'continue_output'];
    assert.deepEqual(await namesOf('viewer', true), reads);
  });

  // Every credential may read who it is (me_get), so read_operation is listed.
  it('when a key is write-only, then no tool that reads abilities is listed', async () => {
    assert.deepEqual(await namesOf('writer'), [
      ...[...FINDING, 'read_operation', 'run_operation', 'continue_output'],
      ...[...DEPRECATED, 'run_ability'],
    ]);
    assert.deepEqual(await namesOf('writer', true), [...namesThat(({ readonly }) => !readonly), 'continue_output']);
  });

  /** What deletes, cuts something off or installs something. */
  const ASKED_FIRST =
    /^(delete|disconnect|suspend|deactivate)-|^update-(all|site-(core|plugins|themes|translations))-v1$|^run-updates-v1$/;

  it('when all tools are listed, then each ability is a tool with text and hints of the contract', async () => {
    const tools = await toolsOf('admin', true);
    for (const { name, title, readonly, destructive, idempotent } of abilities) {
      const tool = tools.find((each) => each.name === name) ?? assert.fail(name);
      assert.deepEqual(tool.annotations, {
        title,
        readOnlyHint: readonly,
        destructiveHint: ASKED_FIRST.test(name),
        idempotentHint: idempotent,
        openWorldHint: !readonly,
      });
      const { properties = {} } = tool.inputSchema;
      assert.deepEqual(['confirm' in properties, 'confirmation_token' in properties], [false, destructive], name);
      assert.equal(tool.outputSchema?.type, 'object', name);
      assert.doesNotMatch(JSON.stringify(tool), /\$ref|"x-/);
    }
    assert.equal(abilities.filter(({ name }) => ASKED_FIRST.test(name)).length, 17);
  });

  it('when tools have been listed, then the official client accepts the structured content of each', async () => {
    const mcp = await connectMcp(world);
    await mcp.client.listTools();
    const calls: [string, object][] = [
      ['find_operations', { query: 'tags' }],
      ['find_operations', { query: 'weather' }],
      ['describe_operation', { operation: 'tags_edit', output: true }],
      ['read_operation', { operation: 'tags_list' }],
      ['run_operation', { operation: 'tags_list' }],
      ['find_abilities', { query: 'tags' }],
      ['describe_ability', { name: 'list-tags-v1' }],
      ['read_ability', { name: 'list-tags-v1' }],
      ['run_ability', { name: 'list-tags-v1' }],
    ];
    for (const [name, args] of calls) {
      const { structured, isError, text } = await mcp.call(name, args);
      assert.ok(structured && !isError, `${name}: ${text}`);
    }
    await mcp.close();
  });

  it('when a module is disabled, then its abilities are not listed, found, described or run', async () => {
    const found = () => call('admin', 'find_abilities', { query: 'costs of a client' });
    assert.match((await found()).text, /get-client-costs-v1/);
    await withoutModule(world, 'cost-tracker', async () => {
      const names = await namesOf('admin', true);
      assert.ok(names.includes('list-sites-v1') && !names.includes('get-client-costs-v1'));
      assert.doesNotMatch((await found()).text, /get-client-costs-v1/);
      const described = await call('admin', 'describe_ability', { name: 'get-client-costs-v1' });
      assert.equal(described.data.code, 'rest_ability_not_found');
      const run = await call('admin', 'read_ability', {
        name: 'get-client-costs-v1',
        input: { client_id_or_email: 1 },
      });
      assert.equal(run.data.code, 'svc_module_not_available');
    });
  });

  for (const [query, name] of [
    ['update plugins on a site', 'update-site-plugins-v1'],
    ['how many sites', 'count-sites-v1'],
    ['delete tag', 'delete-tag-v1'],
    ['job status', 'get-batch-job-status-v1'],
  ] as const)
    it(`when “${query}” is searched, then ${name} is among the first results`, async () => {
      const { text } = await call('admin', 'find_abilities', { query, limit: 5 });
      assert.ok(text.includes(`\n${name} `) || text.startsWith(name), text);
    });

  it('when the search is empty, then all abilities are listed, or those of a category', async () => {
    const { text } = await call('admin', 'find_abilities', {});
    assert.equal(text.split('\n').length, abilities.length);
    const tags = await call('viewer', 'find_abilities', { category: 'tags' });
    assert.equal(
      tags.text.split('\n').length,
      namesThat(({ category, readonly }) => readonly && category === 'svc-tags').length,
    );
  });

  it('when an ability is described, then its input schema is returned, and its output schema on request', async () => {
    const { text } = await call('admin', 'describe_ability', { name: 'svc/delete-site-v1' });
    const described = JSON.parse(text);
    assert.deepEqual([described.name, described.destructive], ['delete-site-v1', true]);
    assert.ok(described.input_schema.properties.site_id_or_domain && !described.output_schema);
    const whole = await call('admin', 'describe_ability', { name: 'list-sites-v1', output: true });
    assert.ok(JSON.parse(whole.text).output_schema.properties.items);
  });

  it('when arguments of a tool are invalid, then the error names them', async () => {
    const cases: [string, object, RegExp][] = [
      ['describe_ability', {}, /name is missing/],
      ['find_abilities', { category: 'dogs' }, /must be one of sites, clients/],
      ['find_abilities', { query: 'a'.repeat(201) }, /query must have at most 200 characters/],
      ['find_operations', { query: 'a'.repeat(201) }, /query must have at most 200 characters/],
      ['find_abilities', { limit: 0 }, /whole number from 1 to 100/],
      ['run_ability', { name: 'list-sites-v1', per_page: 1 }, /per_page is not an argument of this tool/],
      ['run_ability', { name: 'list-sites-v1', input: 'all' }, /input must be an object/],
      ['read_ability', { name: 'sync-sites-v1' }, /Use run_ability/],
      ['run_ability', { name: 'list-dogs-v1' }, /rest_ability_not_found/],
      ['run_ability', { name: 'tags_add', input: { body: { name: 'a' } } }, /rest_ability_not_found/],
      ['describe_ability', { name: 'tags_list' }, /rest_ability_not_found/],
      ['run_operation', { input: {} }, /operation is missing/],
      [
        'run_operation',
        { operation: 'tags_add', idempotency_key: 'a b' },
        /idempotency_key must have only visible ASCII/,
      ],
      ['read_operation', { operation: 'tags_add' }, /Use run_operation/],
      ['describe_operation', { operation: 'tags_edit', field: 'body.dogs' }, /has no field body.dogs/],
      ['continue_output', { cursor: 'AAAAAAAAAAAAAAAA.5' }, /cursor_unknown/],
      ['continue_output', { cursor: 'x' }, /cursor_unknown/],
    ];
    for (const [name, args, message] of cases) {
      const answer = await call('admin', name, args);
      assert.ok(answer.isError, name);
      assert.match(answer.text, message);
    }
  });

  it('when an ability fails, then the error has code, fields and help', async () => {
    const bad = await call('admin', 'read_ability', { name: 'list-sites-v1', input: { page: 0, dogs: 1 } });
    assert.ok(bad.isError);
    assert.equal(bad.data.code, 'ability_invalid_input');
    assert.deepEqual(bad.data.data.errors.map(({ path }: { path: string }) => path).sort(), [
      'input.dogs',
      'input.page',
    ]);
    assert.match(bad.data.help, /describe_operation/);
    const unknown = await call('admin', 'read_ability', { name: 'get-site-v1', input: { site_id_or_domain: 999 } });
    assert.deepEqual([unknown.isError, unknown.data.code], [true, 'svc_site_not_found']);
  });

  it('when a viewer runs an ability without permission, then it is rejected and nothing changes', async () => {
    for (const name of ['run_ability', 'add-tag-v1']) {
      const mcp = await connectMcp(world, 'viewer');
      const args = name === 'run_ability' ? { name: 'add-tag-v1', input: { name: 'mine' } } : { name: 'mine' };
      const answer = await mcp.call(name, args).catch((error: Error) => error);
      assert.match(JSON.stringify(answer instanceof Error ? answer.message : answer), /svc_permission_denied|no tool/);
      await mcp.close();
    }
    assert.equal((await world.ability('list-tags-v1')).total, 0);
  });

  it('when a tool does not exist, then the error has the code of the protocol', async () => {
    await assert.rejects(call('admin', 'feed_dogs', {}), { code: -32_602 });
  });

  it('when an ability is called, then log and metrics have its name', async () => {
    await call('admin', 'read_ability', { name: 'count-sites-v1' });
    const line = world.logLines.find((each) => each.includes('"/mcp"') && each.includes('count-sites-v1'));
    assert.ok(line);
    assert.equal(JSON.parse(line).user, 'admin');
    const { text } = await world.agent('nobody').get('/metrics');
    assert.match(text, /sitefleet_http_request_seconds_count\{operation="count-sites-v1",method="POST",status="200"\}/);
  });
});
