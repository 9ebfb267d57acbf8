import assert from 'node:assert/strict';
import { createClient } from '../../support/clients.ts';
import { callerWithin } from '../../support/limited-keys.ts';
import { assertWritesRefused, comparable, refusalOf } from '../../support/limited-writes.ts';
import { seedSite } from '../../support/sites.ts';
import { startWorld, type CallOptions, type World } from '../../support/world.ts';

const OUTSIDE = refusalOf('client', 1);

describe('writes of client abilities by a limited caller', () => {
  let world: World;
  let sites: number[];
  let [shared, hidden] = [0, 0];
  let me: CallOptions;

  beforeEach(async () => {
    world = await startWorld();
    sites = [];
    for (let n = 0; n < 5; n++) sites.push((await seedSite(world)).id);
    shared = await createClient(world, 'Shared', { selected_sites: sites.slice(0, 2) });
    hidden = await createClient(world, 'Hidden', { selected_sites: sites.slice(3, 4) });
    me = await callerWithin(world, { sites: [sites[0], sites[2], sites[4]] });
  });
  afterEach(() => world.close());

  const writesOf = (client: number) =>
    [
      ['update-client-v1', { client_id_or_email: client, city: 'Lyon' }],
      ['delete-client-v1', { client_id_or_email: client, dry_run: true }],
      ['suspend-client-v1', { client_id_or_email: client }],
      ['unsuspend-client-v1', { client_id_or_email: client }],
      ['delete-client-v1', { client_id_or_email: client, confirm: true }],
    ] as const;
  const run = (name: string, input: object, expect: number) => world.ability(name, input, { ...me, expect });

  it('when a client has sites outside or none inside, then each write fails with their number, or as for no client', async () => {
    await assertWritesRefused(run, writesOf, { shared, hidden }, OUTSIDE, 'svc_client_not_found');
    assert.equal((await run('add-client-v1', { name: 'New' }, 403)).code, 'svc_outside_limits');
  });

  it('when only the list of sites is sent, then those outside stay', async () => {
    const input = { client_id_or_email: shared, selected_sites: [sites[4]] };
    assert.equal((await run('update-client-v1', input, 200)).sites_count, 1);
    assert.equal((await run('update-client-v1', { client_id_or_email: shared }, 200)).sites_count, 1);
    const { body } = await world.request('GET', `/api/v2/clients/${shared}`);
    assert.deepEqual(body.data.selected_sites, [sites[1], sites[4]]);
    const unseen = { ...input, selected_sites: [sites[3]] };
    assert.deepEqual((await run('update-client-v1', unseen, 404)).data, { status: 404, site_ids: [sites[3]] });
  });

  it('when the limit has all sites of the fleet, then each write answers as without a limit', async () => {
    const answersOf = async (name: string, site: number | undefined, limit: object | null): Promise<string> => {
      me = await callerWithin(world, limit);
      const client = await createClient(world, name, { selected_sites: [site] });
      const answers: unknown[] = [];
      for (const [ability, input] of writesOf(client)) answers.push(await run(ability, input, 200));
      for (const [ability, input] of writesOf(client)) answers.push(await run(ability, input, 404));
      return comparable(answers, name);
    };
    const free = await answersOf('free', sites[2], null);
    assert.equal(await answersOf('full', sites[4], { sites }), free);
    assert.match(free, /"would_affect":\{"sites":1,.*"costs":0,"limits":0\}/);
  });
});
