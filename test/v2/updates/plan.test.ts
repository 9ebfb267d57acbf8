import assert from 'node:assert/strict';
import { suspendSite, syncSites } from '../../support/sites.ts';
import { countStatements } from '../../support/statements.ts';
import { ALPHA, BETA, releaseUpdates, withAlphaUpdates } from '../../support/updates.ts';
import type { World } from '../../support/world.ts';

interface PlannedSite {
  site_id: number;
  ring: string | null;
  updates: { type: string; slug: string; current_version: string; new_version: string }[];
}
interface Plan {
  data: PlannedSite[];
  total: number;
  summary: { total: number };
  errors: object[];
  rings: object[];
}
interface UpdatedItem {
  site_id: number;
  type: string;
  slug: string;
}

describe('plan of an update', () => {
  let world: World;
  withAlphaUpdates((started) => (world = started));

  const plan = async (query: Record<string, string> = {}): Promise<Plan> =>
    (await world.request('GET', `/api/v2/updates/plan?${new URLSearchParams(query).toString()}`)).body;
  const run = (input: object) => world.ability('run-updates-v1', input);
  const planned = ({ data }: Plan): string[] =>
    data.flatMap(({ site_id, updates }) => updates.map(({ type, slug }) => `${site_id} ${type} ${slug}`));
  const updated = (items: UpdatedItem[]): string[] =>
    items.map(({ site_id, type, slug }) => `${site_id} ${type} ${slug}`);

  it('when updates are planned, then nothing is called, and a run of the same selection installs just these', async () => {
    const [theme = ''] = [...world.site(0).state.themes.keys()].sort();
    releaseUpdates(world.site(0), { core: '9.0', plugins: [BETA], themes: [theme], translations: ['akismet'] });
    await syncSites(world);
    await suspendSite(world, world.siteId(3));
    const ignored = { site_id_or_domain: world.siteId(2), slugs: [ALPHA] };
    await world.ability('ignore-site-plugins-v1', { ...ignored, action: 'add' });
    const named = [world.siteId(1), world.siteId(0), world.siteId(2), world.siteId(3), 'no.example'];
    for (const [query, input, count] of [
      [{ slug: `${BETA},none/none.php` }, { specific_items: [BETA, 'none/none.php'] }, 1],
      [{ type: 'theme' }, { types: ['themes'] }, 1],
      [{ websites: named.join(), type: 'plugins,core' }, { site_ids_or_domains: named, types: ['plugins', 'core'] }, 3],
      [{}, {}, 1],
    ] as const) {
      const calls = world.fleet.gauge.total;
      const before = await plan(query);
      assert.equal(world.fleet.gauge.total, calls, 'no call to a site');
      assert.equal(planned(before).length, count, JSON.stringify(query));
      assert.deepEqual([before.total, before.summary.total, before.rings], [before.data.length, count, []]);
      const done = await run(input);
      assert.deepEqual(updated(done.updated), planned(before));
      // A query has texts, so the errors of the run name a site in another type.
      assert.deepEqual(
        before.errors,
        JSON.parse(JSON.stringify(done.errors).replaceAll(/"identifier":(\d+)/g, '"identifier":"$1"')),
      );
      assert.deepEqual(planned(await plan(query)), []);
    }
    await world.ability('ignore-site-plugins-v1', { ...ignored, action: 'remove' });
  });

  it('when updates_run gets the selection of the plan, then it installs just these updates', async () => {
    releaseUpdates(world.site(0), { plugins: [BETA] });
    await syncSites(world);
    const [first, second, third] = [world.siteId(0), world.siteId(1), world.siteId(2)];
    const { url } = world.site(1);
    for (const [selection, sites] of [
      [{ websites: [url], include: [first], slug: [ALPHA] }, [first, second]],
      [{ websites: [first, 'no.example'], slug: [BETA] }, [first]],
      [{ include: [third], type: ['plugins'] }, [third]],
    ] as const) {
      const query = Object.entries(selection).map(([name, values]) => [name, values.join()]);
      const before = await plan(Object.fromEntries(query));
      assert.deepEqual(
        before.data.map(({ site_id }) => site_id),
        sites,
      );
      const { body } = await world.request('POST', '/api/v2/updates/update', { body: selection });
      assert.deepEqual(updated(body.data), planned(before));
      assert.deepEqual(
        body.errors.map(({ identifier, code }: { identifier: unknown; code: string }) => [identifier, code]),
        before.errors.map((each) => ['no.example', (each as { code: string }).code]),
      );
    }
  });

  it('when there are pages, then they have each site once, and the totals are those of all pages', async () => {
    const whole = await plan();
    assert.equal(whole.total, 4);
    assert.deepEqual(whole.data[0]?.updates[0], {
      ...{ type: 'plugin', slug: ALPHA, name: 'Alpha', current_version: '1.0.0' },
      ...{ new_version: whole.data[0]?.updates[0]?.new_version, guard: null, fallback: null },
    });
    const pages = [];
    for (const page of ['1', '2', '3']) pages.push(await plan({ per_page: '3', page }));
    assert.deepEqual(
      pages.map(({ data }) => data.length),
      [3, 1, 0],
    );
    assert.deepEqual(
      pages.flatMap(({ data }) => data),
      whole.data,
    );
    for (const { total, summary } of pages) assert.deepEqual([total, summary], [4, whole.summary]);
  });

  it('when a site is excluded, then it is not in the plan, and neither are its updates in the totals', async () => {
    const { data, summary } = await plan({ exclude: String(world.siteId(1)) });
    assert.ok(!data.some(({ site_id }) => site_id === world.siteId(1)));
    assert.equal(summary.total, 3);
  });

  it('when there are more sites, then the plan needs no more SQL statements', async () => {
    const statements = async (query: Record<string, string>): Promise<number> =>
      countStatements(world, () => plan(query));
    await plan({});
    assert.equal(await statements({ per_page: '4' }), await statements({ per_page: '1' }));
  });

  it('when the input is invalid, then the call is rejected, and a viewer may plan', async () => {
    for (const query of ['rings=no+such+tag', 'type=plugs', 'page=0', 'websites=']) {
      const expect = query === 'websites=' ? 200 : 400;
      await world.request('GET', `/api/v2/updates/plan?${query}`, { expect });
    }
    await world.request('GET', '/api/v2/updates/plan', { as: 'nobody', expect: 401 });
    assert.equal((await world.request('GET', '/api/v2/updates/plan', { as: 'viewer' })).body.total, 4);
  });
});
