import assert from 'node:assert/strict';
import { refusedFields } from '../support/refusals.ts';
import { startWorld, type World } from '../support/world.ts';

describe('orders of lists', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ sites: 3 });
    for (const [index, name] of ['Bakery', 'apothecary', 'Bakery'].entries())
      await world.request('PUT', `/api/v2/sites/${world.siteId(index)}/edit`, { body: { name } });
    for (const [name, client_email] of [
      ['Zoo', 'b@example.com'],
      ['aquarium', ''],
      ['Museum', 'A@example.com'],
    ])
      await world.request('POST', '/api/v2/clients/add', { body: { name, ...(client_email && { client_email }) } });
    for (const name of ['zebra', 'Ant']) await world.request('POST', '/api/v2/tags/add', { body: { name } });
  });
  after(() => world.close());

  const listed = async (path: string, field: string): Promise<unknown[]> => {
    const { body } = await world.request('GET', `/api/v2/${path}`);
    return body.data.map((record: Record<string, unknown>) => record[field]);
  };

  it('when sites are ordered by name, then case is ignored and equal names follow their IDs in both directions', async () => {
    for (const list of ['sites', 'sites/basic']) {
      assert.deepEqual(await listed(`${list}?orderby=name`, 'id'), [2, 1, 3]);
      assert.deepEqual(await listed(`${list}?orderby=name&order=desc`, 'id'), [3, 1, 2]);
      assert.deepEqual(await listed(`${list}?orderby=name&per_page=1&page=2`, 'id'), [1]);
    }
  });

  it('when sites are ordered by ID or URL, then both directions differ, and the URL is the default', async () => {
    assert.deepEqual(await listed('sites?orderby=id&order=desc', 'id'), [3, 2, 1]);
    const urls = (await listed('sites', 'url')) as string[];
    const bare = urls.map((url) => url.replace(/^https?:\/\/(www\.)?/, ''));
    assert.deepEqual(bare, [...bare].sort());
    assert.deepEqual(await listed('sites?order=desc', 'url'), [...urls].reverse());
  });

  it('when sites with a tag are ordered, then the order is the same as without the filter', async () => {
    const [tag] = (await listed('tags?per_page=1', 'id')) as number[];
    for (const id of world.siteIds)
      await world.request('PUT', `/api/v2/sites/${id}/edit`, { body: { groupids: [tag] } });
    for (const order of ['orderby=url&order=desc', 'orderby=name', 'orderby=id&order=desc'])
      assert.deepEqual(await listed(`sites?tag_id=${tag}&${order}`, 'id'), await listed(`sites?${order}`, 'id'), order);
  });

  it('when clients are ordered, then one without an e-mail address is first, and names ignore case', async () => {
    assert.deepEqual(await listed('clients', 'name'), ['aquarium', 'Museum', 'Zoo']);
    assert.deepEqual(await listed('clients?orderby=name&order=desc', 'name'), ['Zoo', 'Museum', 'aquarium']);
    assert.deepEqual(await listed('clients?orderby=email', 'name'), ['aquarium', 'Museum', 'Zoo']);
    assert.deepEqual(await listed('clients?orderby=email&order=desc', 'name'), ['Zoo', 'Museum', 'aquarium']);
    assert.deepEqual(await listed('clients?orderby=created_at', 'name'), ['Zoo', 'aquarium', 'Museum']);
  });

  it('when tags are ordered by their creation, then the newest is last, or first in descending order', async () => {
    assert.deepEqual(await listed('tags', 'name'), ['Ant', 'zebra']);
    assert.deepEqual(await listed('tags?orderby=created_at', 'name'), ['zebra', 'Ant']);
    assert.deepEqual(await listed('tags?orderby=created_at&order=desc&full_data=true', 'name'), ['Ant', 'zebra']);
    assert.deepEqual(await listed('tags?order=desc', 'name'), ['zebra', 'Ant']);
  });

  it('when costs are ordered, then names ignore case, and one without a renewal is first', async () => {
    for (const [name, price, last_renewal] of [
      ['theme', 49.5, '2026-03-01'],
      ['Backups', 120, '2025-12-24'],
      ['Licence', 9, null],
    ]) {
      const renewal = last_renewal
        ? { type: 'subscription', renewal_type: 'yearly', last_renewal }
        : { type: 'lifetime' };
      await world.request('POST', '/api/v2/costs/add', { body: { name, price, sites: [1], ...renewal } });
    }
    assert.deepEqual(await listed('costs', 'name'), ['Backups', 'Licence', 'theme']);
    assert.deepEqual(await listed('costs?order=desc', 'name'), ['theme', 'Licence', 'Backups']);
    assert.deepEqual(await listed('costs?orderby=price', 'name'), ['Licence', 'theme', 'Backups']);
    assert.deepEqual(await listed('costs?orderby=last_renewal', 'name'), ['Licence', 'Backups', 'theme']);
    assert.deepEqual(await listed('costs?orderby=last_renewal&order=desc', 'name'), ['theme', 'Backups', 'Licence']);
  });

  it('when jobs are ordered, then the newest is first by default, and both times can be used', async () => {
    for (const include of [[1], [2]]) await world.request('POST', '/api/v2/sites/sync', { body: { include } });
    const newest = await listed('jobs', 'created_at');
    assert.ok(newest.length > 1);
    assert.deepEqual(newest, [...newest].sort().reverse());
    assert.deepEqual(await listed('jobs?order=asc', 'job_id'), (await listed('jobs', 'job_id')).reverse());
    const completed = await listed('jobs?orderby=completed_at&order=asc', 'completed_at');
    assert.deepEqual(completed, [...completed].sort());
  });

  it('when an order is unknown, then the response names the parameter', async () => {
    for (const list of ['sites', 'sites/basic', 'clients', 'tags', 'costs', 'jobs']) {
      assert.deepEqual(await refusedFields(world, 'GET', `/api/v2/${list}?orderby=size`), ['query.orderby']);
      assert.deepEqual(await refusedFields(world, 'GET', `/api/v2/${list}?order=up`), ['query.order']);
    }
  });
});
