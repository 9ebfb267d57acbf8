import assert from 'node:assert/strict';
import { callerWithin } from '../../support/limited-keys.ts';
import { updateSite } from '../../support/sites.ts';
import { startWorld, type CallOptions, type World } from '../../support/world.ts';

const LISTS = {
  'list-sites-v1': '/abilities/v1/svc/list-sites-v1/run',
  'list-updates-v1': '/abilities/v1/svc/list-updates-v1/run',
  sites_list_basic: '/api/v2/sites/basic',
  updates_list: '/api/v2/updates',
  'updates_list by site': '/api/v2/updates?shape=by_site',
  'list-sites-v1 of MainWP': '/wp-json/wp-abilities/v1/abilities/mainwp/list-sites-v1/run',
  'sites_list_basic of MainWP': '/wp-json/mainwp/v2/sites/basic',
};

describe('lists that are cached as text', () => {
  let world: World;
  let limited: CallOptions;
  before(async () => {
    world = await startWorld({ sites: 3, connect: 3 });
    limited = await callerWithin(world, { clients: [], tags: [], sites: [world.siteId(1)] });
  });
  after(() => world.close());

  const read = async (path: string, options: CallOptions = {}) => await world.request('GET', path, options);
  const textOf = async (path: string, options: CallOptions = {}): Promise<string> =>
    JSON.stringify((await read(path, options)).body);

  for (const [name, path] of Object.entries(LISTS)) {
    it(`when callers with different sites read ${name} in turns, then each sees its own sites`, async () => {
      const addresses = [0, 1, 2].map((index) => new URL(world.site(index).url).host);
      for (const _ of ['first', 'again', 'once more']) {
        const [all, own] = [await textOf(path), await textOf(path, limited)];
        assert.deepEqual(
          addresses.map((address) => all.includes(address)),
          [true, true, true],
        );
        assert.deepEqual(
          addresses.map((address) => own.includes(address)),
          [false, true, false],
        );
      }
    });

    it(`when a site is renamed, then the next response of ${name} has the new name`, async () => {
      await textOf(path);
      for (const name of ['Harbour', 'Bakery']) {
        await updateSite(world, world.siteId(1), { name });
        for (const options of [{}, limited]) assert.ok((await textOf(path, options)).includes(`"${name}"`));
      }
    });

    it(`when a page of another size of ${name} is read in between, then each has its own sites`, async () => {
      const isMounted = path.startsWith('/wp-json/wp');
      const query = path.startsWith('/abilities') || isMounted ? 'input[per_page]=1' : 'per_page=1';
      const small = `${path}${path.includes('?') ? '&' : '?'}${query}`;
      const before = [await textOf(path), await textOf(small)];
      assert.notEqual(before[0], before[1]);
      assert.deepEqual([await textOf(path), await textOf(small)], before);
    });
  }

  it('when fields are selected, then only they are returned, and later responses have all fields', async () => {
    const whole = await textOf('/api/v2/sites/basic');
    for (const _ of ['first', 'again']) {
      const { data } = (await read('/api/v2/sites/basic?_fields=name')).body;
      assert.deepEqual(Object.keys(data[0] as object).toSorted(), ['id', 'name']);
      assert.equal(await textOf('/api/v2/sites/basic'), whole);
    }
  });

  it('when two queries find the same page, then each response has its own links and its own request ID', async () => {
    const [one, other] = [
      await read('/api/v2/sites/basic?per_page=1'),
      await read('/api/v2/sites/basic?per_page=1&_fields=name'),
    ];
    assert.doesNotMatch(one.headers['link'] as string, /_fields/);
    assert.match(other.headers['link'] as string, /_fields=name/);
    assert.notEqual(one.headers['x-request-id'], other.headers['x-request-id']);
  });
});
