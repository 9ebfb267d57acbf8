import assert from 'node:assert/strict';
import { addReportSchedule, makeReport } from '../support/report-schedules.ts';
import { updateSite } from '../support/sites.ts';
import { createTag } from '../support/tags.ts';
import { addBucket, addTask } from '../support/time-tracker.ts';
import { createClient } from '../support/clients.ts';
import { startWorld, type CallOptions, type World } from '../support/world.ts';

const ACCESS = '/api/v2/rest-api';

describe('would_affect for a limited caller', () => {
  let world: World;
  let site: number;
  let client: number;
  let other: number;
  let tag: number;
  let limit: { clients: number[]; tags: number[]; sites: number[] };

  beforeEach(async () => {
    world = await startWorld({ sites: 2 });
    site = world.siteId(0);
    [client, other] = [await createClient(world, 'Bakery'), await createClient(world, 'Other')];
    tag = await createTag(world, 'shops', site);
    await updateSite(world, site, { client_id: client });
    await updateSite(world, world.siteId(1), { client_id: other });
    limit = { clients: [client], tags: [tag], sites: [site] };
  });
  afterEach(() => world.close());

  const by = (token: string): CallOptions => ({ as: 'nobody', headers: { authorization: `Bearer ${token}` } });
  const addKey = async (body: object, caller: CallOptions = {}) =>
    (await world.request('POST', `${ACCESS}/add-key`, { body: { scope: 'read_write', ...body }, ...caller })).body
      .data as { id: number; token: string };
  const preview = async (name: string, input: object, caller: CallOptions = {}): Promise<Record<string, number>> =>
    (await world.ability(name, { ...input, dry_run: true }, caller)).would_affect;
  async function limitsCounted(caller: CallOptions = {}): Promise<(number | undefined)[]> {
    const [ofSite, ofClient, ofTag] = [
      await preview('delete-site-v1', { site_id_or_domain: site }, caller),
      await preview('delete-client-v1', { client_id_or_email: client }, caller),
      await preview('delete-tag-v1', { tag_id: tag }, caller),
    ];
    return [ofSite.limits, ofClient.limits, ofTag.limits];
  }

  it('when other users and keys have limits, then only those of the user and of its own keys are counted', async () => {
    const user = { name: 'agency', role: 'administrator', limit };
    const { id: userId } = (await world.request('POST', `${ACCESS}/users/add`, { body: user })).body.data;
    const password = { description: 'agency' };
    const { body } = await world.request('POST', `${ACCESS}/users/${userId}/add-password`, { body: password });
    const basic = Buffer.from(`agency:${body.data.password as string}`).toString('base64');
    await addKey({ user: 'agency', limit: { clients: [client] } });
    await addKey({ limit: { clients: [client] } });
    const maker = await addKey({ limit });
    const made = await addKey({ limit: { clients: [client], tags: [tag] } }, by(maker.token));

    assert.deepEqual(await limitsCounted(), [2, 5, 3]);
    assert.deepEqual(await limitsCounted({ as: 'nobody', headers: { authorization: `Basic ${basic}` } }), [1, 2, 1]);
    assert.deepEqual(await limitsCounted(by(maker.token)), [1, 2, 2]);
    assert.deepEqual(await limitsCounted(by(made.token)), [0, 1, 1]);
  });

  it('when reports, tasks and buckets are not visible, then they are not counted', async () => {
    const { token } = await addKey({ limit });
    await updateSite(world, site, { client_id: other });
    const schedule = await addReportSchedule(world, { site_id: site, format: 'html' });
    await makeReport(world, schedule.id as number);
    await updateSite(world, site, { client_id: client });
    await makeReport(world, schedule.id as number);
    await addBucket(world, { title: 'Shared', hours: 1, price: 80, clients: [client, other] });
    await addBucket(world, { title: 'Own', hours: 1, price: 80, clients: [client] });
    await addTask(world, { title: 'Of the client', client_id: client });
    const moved = world.siteId(1);
    await updateSite(world, moved, { client_id: client });
    await addTask(world, { title: 'Elsewhere', client_id: client, site_id: moved });
    await updateSite(world, moved, { client_id: other });

    const counted = async (caller: CallOptions = {}) => {
      const { reports } = await preview('delete-site-v1', { site_id_or_domain: site }, caller);
      const { tasks, buckets } = await preview('delete-client-v1', { client_id_or_email: client }, caller);
      return { reports, tasks, buckets };
    };
    assert.deepEqual(await counted(), { reports: 2, tasks: 2, buckets: 2 });
    assert.deepEqual(await counted(by(token)), { reports: 1, tasks: 1, buckets: 1 });
  });
});
