import assert from 'node:assert/strict';
import { createClient } from '../../support/clients.ts';
import { callerWithin } from '../../support/limited-keys.ts';
import { callsBelow, comparable, recordAnswers, refusalOf } from '../../support/limited-writes.ts';
import { TestMcpClient } from '../../support/mcp.ts';
import { seedSite } from '../../support/sites.ts';
import { countStatements } from '../../support/statements.ts';
import { createTag } from '../../support/tags.ts';
import { startWorld, type CallOptions, type World } from '../../support/world.ts';

const BASE = '/api/v2/clients';
const OUTSIDE = refusalOf('client', 2);

describe('v2 writes of clients by a limited caller', () => {
  let world: World;
  let sites: number[];
  let shared: number;
  let own: number;
  let hidden: number;
  let me: CallOptions;

  beforeEach(async () => {
    world = await startWorld();
    sites = [];
    for (let n = 0; n < 6; n++) sites.push((await seedSite(world)).id);
    shared = await createClient(world, 'Shared', { selected_sites: sites.slice(0, 3) });
    own = await createClient(world, 'Own', { selected_sites: [site(3)] });
    hidden = await createClient(world, 'Hidden', { client_email: 'hidden@example.com', selected_sites: [site(4)] });
    await world.request('POST', `${BASE}/fields/add`, { body: { name: 'VAT' } });
    me = await callerWithin(world, { sites: [site(0), site(3), site(5)] });
  });
  afterEach(() => world.close());

  const site = (index: number): number => sites[index] ?? assert.fail();
  const call = callsBelow(BASE, () => ({ world, caller: me }));
  const sitesOf = async (client: number): Promise<number[]> =>
    (await world.request('GET', `${BASE}/${client}`)).body.data.selected_sites;

  it('when a client has sites outside, then each verb fails with their number, and changes nothing', async () => {
    const before = (await world.request('GET', `${BASE}/${shared}`)).body;
    for (const [method, verb, body] of [
      ['PUT', 'edit', { name: 'Mine' }],
      ['PATCH', 'edit', { note: 'Mine' }],
      ['POST', 'edit', { custom_fields: { VAT: '1' } }],
      ['PUT', 'edit', { site_order: [site(0), 999_999] }],
      ['PUT', 'edit', { name: 'Mine', selected_sites: [site(3)] }],
      ['POST', 'suspend'],
      ['POST', 'unsuspend'],
      ['DELETE', 'remove'],
    ] as const)
      assert.deepEqual((await call(method, `${shared}/${verb}`, 403, body)).body, OUTSIDE, `${method} ${verb}`);
    assert.deepEqual((await world.request('GET', `${BASE}/${shared}`)).body, before);
  });

  it('when no site of a client is visible, then each verb answers as for a client that does not exist', async () => {
    for (const [method, verb, body] of [
      ['PUT', 'edit', { name: 'Mine' }],
      ['PATCH', 'edit', { selected_sites: [] }],
      ['POST', 'edit', { selected_sites: [site(0)] }],
      ['POST', 'suspend'],
      ['POST', 'unsuspend'],
      ['DELETE', 'remove'],
    ] as const)
      for (const ref of [hidden, 'hidden@example.com']) {
        const missing = ref === hidden ? 999_999 : 'nobody@example.com';
        const mine = await call(method, `${ref}/${verb}`, 404, body);
        assert.deepEqual(mine.body, (await call(method, `${missing}/${verb}`, 404, body)).body, `${method} ${verb}`);
        assert.equal(mine.body.code, 'svc_client_not_found');
      }
    assert.deepEqual(await sitesOf(hidden), [site(4)]);
  });

  it('when only the list of sites is sent, then the others stay, and a site outside is one that does not exist', async () => {
    for (const outside of [site(1), site(4), 999_999]) {
      const { body } = await call('PUT', `${shared}/edit`, 404, { selected_sites: [site(0), outside] });
      assert.equal(body.code, 'svc_site_not_found');
      assert.deepEqual(body.data, { status: 404, site_ids: [outside] });
    }
    const { body } = await call('PATCH', `${shared}/edit`, 200, { selected_sites: [site(5)] });
    assert.deepEqual([body.data.selected_sites, body.data.sites_count], [[site(5)], 1]);
    assert.deepEqual(await sitesOf(shared), [site(1), site(2), site(5)]);
    const emptied = (await call('POST', `${shared}/edit`, 200, { selected_sites: null })).body.data;
    assert.deepEqual([emptied.selected_sites, emptied.sites_count, emptied.tags], [[], 0, []]);
    assert.deepEqual(await sitesOf(shared), [site(1), site(2)]);
    await call('POST', `${shared}/edit`, 404, { selected_sites: [site(5)] });
  });

  it('when a client is created, alone or in a batch, then it is refused, and the other items run', async () => {
    const refusal = (await call('POST', 'add', 403, { name: 'New' })).body;
    assert.deepEqual([refusal.code, refusal.data], ['svc_outside_limits', { status: 403 }]);
    const { body } = await call('POST', 'batch', 200, {
      create: [{ name: 'New' }, { name: 'Newer', selected_sites: [site(0)] }],
      update: [
        { id: shared, name: 'Mine' },
        { id: shared, selected_sites: [site(0), site(5)] },
        { id: hidden, note: '' },
      ],
      delete: [shared, hidden, own],
    });
    assert.deepEqual(body.create, [
      { id: 0, error: refusal },
      { id: 0, error: refusal },
    ]);
    assert.deepEqual(body.update[0], { id: shared, error: OUTSIDE });
    assert.deepEqual(body.update[1].data.selected_sites, [site(0), site(5)]);
    assert.deepEqual(body.delete[0], { id: shared, error: OUTSIDE });
    for (const item of [body.update[2], body.delete[1]])
      assert.deepEqual([item.id, item.error.code], [hidden, 'svc_client_not_found']);
    assert.equal(body.delete[2].data.id, own);
    assert.equal((await world.request('GET', BASE)).body.total, 2);
  });

  it('when client fields are read or changed, then the call is refused, because they belong to the whole fleet', async () => {
    for (const [method, path, body] of [
      ['GET', 'fields'],
      ['POST', 'fields/add', { name: 'Other' }],
      ['PUT', 'fields/VAT/edit', { description: 'x' }],
      ['DELETE', 'fields/VAT/delete'],
    ] as const)
      assert.equal((await call(method, path, 403, body)).body.code, 'svc_outside_limits', path);
  });

  it('when a limited caller edits the version that it has read, then the ETag fits, and others do not', async () => {
    const { etag } = (await call('GET', String(shared), 200)).headers;
    const { etag: full } = (await world.request('GET', `${BASE}/${shared}`)).headers;
    assert.ok(etag && full && etag !== full);
    const list = { selected_sites: [site(0), site(5)] };
    await call('PUT', `${shared}/edit`, 412, list, { 'if-match': full });
    const saved = await call('PUT', `${shared}/edit`, 200, list, { 'if-match': etag });
    assert.equal(saved.headers.etag, (await call('GET', String(shared), 200)).headers.etag);
    await call('DELETE', `${shared}/remove`, 412, undefined, { 'if-match': etag });
  });

  it('when others change the sites outside, then neither the ETag nor updated_at changes', async () => {
    await world.container.database.knex('clients').where({ id: shared }).update({ updated_at: 1 });
    const seen = async () => {
      const { body, headers } = await call('GET', String(shared), 200);
      return [body.data.updated_at, headers.etag];
    };
    const before = await seen();
    assert.equal(before[0], '1970-01-01T00:00:00Z');
    const [one, ...others] = sites;
    for (const body of [
      { selected_sites: [one, others[0], site(4)] },
      { selected_sites: [one, others[0]] },
      { site_order: [others[0]] },
    ]) {
      const { body: edited } = await world.request('PUT', `${BASE}/${shared}/edit`, { body });
      assert.ok(edited.data.selected_sites.includes(others[0]));
      assert.deepEqual(await seen(), before, JSON.stringify(body));
    }
    await world.request('PUT', `${BASE}/${shared}/edit`, { body: { site_order: [one] } });
    assert.notEqual((await seen())[1], before[1]);
    await world.request('PUT', `${BASE}/${shared}/edit`, { body: { note: 'New', selected_sites: [one] } });
    assert.notEqual((await seen())[0], before[0]);
  });

  it('when a site of the list is outside, then it costs the statements of one that does not exist', async () => {
    const costOf = (id: number) =>
      countStatements(world, () => call('PUT', `${own}/edit`, 404, { selected_sites: [id] }));
    assert.equal(await costOf(site(4)), await costOf(999_999));
  });

  it('when a call is repeated with its idempotency key, then the answer is the same, and under another limit it is not returned', async () => {
    const list = { selected_sites: [site(0), site(5)] };
    const headers = { 'idempotency-key': 'a-list' };
    const first = (await call('PUT', `${shared}/edit`, 200, list, headers)).body;
    const again = await call('PUT', `${shared}/edit`, 200, list, headers);
    assert.deepEqual([again.body, again.headers['idempotency-replayed']], [first, 'true']);
    await world.request('DELETE', `/api/v2/sites/${site(3)}/remove`);
    assert.equal((await call('PUT', `${shared}/edit`, 409, list, headers)).body.code, 'svc_idempotency_conflict');
  });

  it('when a limited caller changes clients, then the changes that it reads name no site outside', async () => {
    await call('PUT', `${shared}/edit`, 200, { selected_sites: [site(5)] });
    await call('POST', `${own}/suspend`, 200);
    const { body } = await world.request('GET', '/api/v2/changes?per_page=100', me);
    const about = (body.data as { site: { id: number } | null }[]).map(({ site: place }) => place?.id);
    assert.deepEqual([...new Set(about)].sort(), [site(0), site(3), site(5)].sort());
  });

  it('when the calls come over MCP, then they are refused alike, also after a preview', async () => {
    const mcp = await TestMcpClient.connect(world.url, me.headers?.['authorization'] ?? assert.fail());
    const dataOf = async (name: string, input: object, more: object = {}) => (await mcp.run(name, input, more)).data;
    for (const [name, more] of [
      ['update-client-v1', { city: 'Lyon' }],
      ['suspend-client-v1', {}],
      ['unsuspend-client-v1', {}],
      ['delete-client-v1', {}],
    ] as const) {
      const { code, data } = await dataOf(name, { client_id_or_email: shared, ...more });
      assert.deepEqual([code, data], [OUTSIDE.code, OUTSIDE.data], name);
      const unseen = await dataOf(name, { client_id_or_email: hidden, ...more });
      assert.equal(unseen.code, 'svc_client_not_found', name);
    }
    const refused = await dataOf('add-client-v1', { name: 'New' });
    assert.equal(refused.code, 'svc_outside_limits');
    const mine = { client_id_or_email: own };
    const { token } = await mcp.preview('delete-client-v1', mine);
    await world.request('PUT', `${BASE}/${own}/edit`, { body: { selected_sites: [site(3), site(4)] } });
    const late = await dataOf('delete-client-v1', mine, { confirmation_token: token });
    assert.deepEqual([late.code, late.data.sites_outside], ['svc_outside_limits', 1]);
    assert.deepEqual(await sitesOf(own), [site(3), site(4)]);
    await mcp.close();
  });

  it('when the calls come under /wp-json, then they are refused alike', async () => {
    const agent = world.agent('nobody').set(me.headers ?? {});
    const v2 = '/wp-json/mainwp/v2/clients';
    const run = (name: string) => `/wp-json/wp-abilities/v1/abilities/mainwp/${name}/run`;
    const ofShared = { input: { client_id_or_email: shared } };
    for (const answer of [
      await agent.put(`${v2}/${shared}/edit`).send({ name: 'Mine' }),
      await agent.post(`${v2}/${shared}/suspend`),
      await agent.delete(`${v2}/${shared}/remove`),
      await agent.post(run('suspend-client-v1')).send(ofShared),
    ]) {
      const { status, body } = answer;
      assert.deepEqual([status, body.code, body.data.sites_outside], [403, 'mainwp_outside_limits', 2]);
    }
    const [unseen, missing] = [await agent.post(`${v2}/${hidden}/suspend`), await agent.post(`${v2}/999999/suspend`)];
    assert.deepEqual([unseen.status, unseen.body], [404, missing.body]);
    assert.equal((await agent.post(`${v2}/add`).send({ name: 'New' })).status, 403);
    assert.equal((await world.request('GET', BASE)).body.total, 3);
  });

  it('when the limit has all sites of the fleet, then each write answers as without a limit', async () => {
    const tag = await createTag(world, 'care');
    const run = async (name: string, [one = 0, other = 0]: number[], limit: object | null): Promise<string> => {
      me = await callerWithin(world, limit);
      const email = `${name}@example.com`;
      const client = await createClient(world, name, { client_email: email, selected_sites: [one] });
      await world.request('PUT', `/api/v2/sites/${one}/edit`, { body: { groupids: [tag] } });
      const { answers, note } = recordAnswers(call);
      for (const method of ['PUT', 'PATCH', 'POST'])
        await note(method, `${client}/edit`, 200, { note: `by ${method}`, custom_fields: { vat: method } });
      await note('PUT', `${email}/edit`, 200, { selected_sites: [one, other], site_order: [other, one] });
      await note('PUT', `${client}/edit`, 200, { selected_sites: [other] });
      await note('PUT', `${client}/edit`, 404, { selected_sites: [999_999] });
      await note('PUT', `${client}/edit`, 400, { client_email: 'none' });
      await note('PUT', `${client}/edit`, 409, { client_email: 'hidden@example.com' });
      for (const verb of ['suspend', 'suspend', 'unsuspend', 'unsuspend']) await note('POST', `${client}/${verb}`, 200);
      for (const method of ['POST', 'PUT', 'PATCH'])
        await note(method, 'batch', 200, {
          update: [
            { id: client, city: method },
            { id: 999_999, city: '' },
          ],
        });
      await note('POST', 'batch', 400, {});
      await note('PUT', `${client}/edit`, 200, { selected_sites: [one, other] });
      await note('DELETE', `${client}/remove`, 200);
      await note('DELETE', `${client}/remove`, 404);
      return comparable(answers, name);
    };
    const free = await run('free', [site(0), site(1)], null);
    assert.equal(await run('full', [site(3), site(5)], { sites }), free);
    assert.match(free, /"note":"by PATCH"/);
  });
});
