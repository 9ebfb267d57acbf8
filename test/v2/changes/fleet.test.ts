import assert from 'node:assert/strict';
import { countStatements } from '../../support/statements.ts';
import { startWorld, type World } from '../../support/world.ts';

interface Change {
  type: string;
  description: string;
  name: string | null;
  key: string | null;
  before: Record<string, string>;
  after: Record<string, string>;
  user: string;
  source: string;
  site: { id: number; client_id: number | null } | null;
}

describe('v2 changes of the fleet', () => {
  let world: World;
  let knex: World['container']['database']['knex'];
  let client: number;
  before(async () => {
    world = await startWorld({ sites: 2 });
    ({ knex } = world.container.database);
    const { body } = await world.request('POST', '/api/v2/clients/add', {
      body: { name: 'Bakery', selected_sites: [world.siteId(0)] },
    });
    client = body.data.id as number;
  });
  after(() => world.close());

  const list = async (query = ''): Promise<Change[]> =>
    (await world.request<{ data: Change[] }>('GET', `/api/v2/changes?per_page=100&${query}`)).body.data;
  const typesOf = async (query: string): Promise<string[]> => (await list(query)).map(({ type }) => type);

  async function log(...rows: [type: string, at: string, siteId: number | null, over?: object][]): Promise<void> {
    await knex('changes').delete();
    for (const [type, at, site_id, over] of rows)
      await knex('changes').insert({
        ...{ source: 'dashboard', external_id: null, description: type, actor: 'ann', type, site_id },
        ...{ at: Date.parse(at), ...over },
      });
  }

  it('when objects with and without a site change, then all are listed with the site, newest first', async () => {
    await log(
      ['tag.added', '2026-11-01T00:00:00Z', null],
      ['post.updated', '2026-11-03T00:00:00Z', world.siteId(0), { source: 'child_changes', external_id: '1' }],
      ['site.updated', '2026-11-02T00:00:00Z', world.siteId(1), { new_values: '{"name":"B"}', object_name: 'B' }],
    );
    const changes = await list();
    assert.deepEqual(
      changes.map(({ type, source, site }) => [type, source, site && [site.id, site.client_id]]),
      [
        ['post.updated', 'wpadmin', [world.siteId(0), client]],
        ['site.updated', 'dashboard', [world.siteId(1), null]],
        ['tag.added', 'dashboard', null],
      ],
    );
    assert.deepEqual([changes[1]?.name, changes[1]?.before, changes[1]?.after], ['B', {}, { name: 'B' }]);
  });

  it('when changes are filtered, then all filters combine, and paging and order apply', async () => {
    const [first, second] = [world.siteId(0), world.siteId(1)];
    await log(
      ['tag.added', '2026-11-01T00:00:00Z', null, { actor: 'bob' }],
      ['plugin.updated', '2026-11-02T00:00:00Z', first],
      ['plugin.deleted', '2026-11-03T00:00:00Z', second],
      ['theme.updated', '2026-11-04T00:00:00Z', first, { source: 'child_actions', external_id: '1' }],
    );
    assert.deepEqual(await typesOf('scope=service'), ['tag.added']);
    assert.deepEqual(await typesOf('scope=sites&order=asc'), ['plugin.updated', 'plugin.deleted', 'theme.updated']);
    assert.deepEqual(await typesOf(`site_id=${second}`), ['plugin.deleted']);
    assert.deepEqual(await typesOf(`client_id=${client}&source=dashboard`), ['plugin.updated']);
    assert.deepEqual(await typesOf('source=wpadmin'), ['theme.updated']);
    assert.deepEqual(await typesOf('actor=bob'), ['tag.added']);
    assert.deepEqual(await typesOf('type=plugin.updated'), ['plugin.updated']);
    assert.deepEqual(await typesOf('contexts=plugin,tag&actions=deleted,added'), ['plugin.deleted', 'tag.added']);
    const within = 'since=2026-11-02T00:00:00Z&until=2026-11-03T00:00:00Z';
    assert.deepEqual(await typesOf(within), ['plugin.updated']);
    const { body } = await world.request('GET', '/api/v2/changes?per_page=2&page=2');
    assert.deepEqual(
      [body.total, body.pages, (body.data as Change[]).map(({ type }) => type)],
      [...[4, 2], ['plugin.updated', 'tag.added']],
    );
  });

  it('when there are more entries, then a page needs no more SQL statements', async () => {
    await log(['tag.added', '2026-11-01T00:00:00Z', null]);
    const few = await countStatements(world, list);
    const at = '2026-11-01T00:00:00Z';
    await log(...Array.from({ length: 60 }, (): [string, string, number] => ['site.updated', at, world.siteId(0)]));
    assert.equal(await countStatements(world, list), few);
  });

  it('when records and settings are edited, then the changes have old and new values, but no secrets', async () => {
    await knex('changes').delete();
    const send = async (method: string, path: string, body: object): Promise<number> =>
      ((await world.request(method, `/api/v2${path}`, { body })).body.data?.id ?? 0) as number;
    const lastOf = async (type: string): Promise<unknown[]> => {
      const found = (await list()).find((change) => change.type === type) ?? assert.fail(`no ${type}`);
      return [found.name, found.before, found.after];
    };
    const tag = await send('POST', '/tags/add', { name: 'shops', color: '#112233' });
    assert.deepEqual(await lastOf('tag.added'), ['shops', {}, { name: 'shops', color: '#112233' }]);
    await send('PUT', `/tags/${tag}/edit`, { name: 'web shops' });
    assert.deepEqual(await lastOf('tag.updated'), ['web shops', { name: 'shops' }, { name: 'web shops' }]);
    const edit = { name: 'Moved', groupids: [tag], http_user: 'ann', http_pass: 'S3cret-pass', uniqueid: 'S3cret-id' };
    await send('PUT', `/sites/${world.siteId(0)}/edit`, edit);
    const [name, , after] = (await lastOf('site.updated')) as [string, object, Record<string, string>];
    assert.equal(name, 'Moved');
    assert.deepEqual(
      [after['name'], after['tags'], after['http_pass'], after['unique_id']],
      ['Moved', 'web shops', 'changed', 'changed'],
    );
    const cost = {
      name: 'Hosting',
      price: 10,
      sites: [world.siteId(0)],
      product_type: 'hosting',
      payment_method: 'paypal',
    };
    const costId = await send('POST', '/costs/add', cost);
    await send('PUT', `/costs/${costId}/edit`, { price: 12.5 });
    assert.deepEqual(await lastOf('cost.updated'), ['Hosting', { price: '10' }, { price: '12.5' }]);
    const key = await send('POST', '/rest-api/add-key', { permissions: 'read', description: 'a' });
    await send('PUT', `/rest-api/edit-key/${key}`, { description: 'b' });
    const [, labelled, relabelled] = await lastOf('api_key.edited');
    assert.deepEqual([labelled, relabelled], [{ label: 'a' }, { label: 'b' }]);
    await send('PUT', '/settings/general/edit', { svc_changes_retention_days: 400 });
    const [group, , days] = await lastOf('settings.edited');
    assert.deepEqual([group, days], ['general', { svc_changes_retention_days: '400' }]);
    const everything = JSON.stringify(await knex('changes').select('*'));
    assert.ok(!everything.includes('S3cret'), 'a secret stands in the log');
  });
});
