import assert from 'node:assert/strict';
import {
  ALPHA,
  removeItemsWithUpdates,
  withWorldWithoutUpdates,
  readUpdates,
  upgradeCallsOf,
  releaseUpdates,
} from '../../support/updates.ts';
import { editSettings } from '../../support/settings.ts';
import type { World } from '../../support/world.ts';

/** The first site has a pending plugin and translation update, the second only a translation update. */
describe('translation updates', () => {
  let world: World;
  withWorldWithoutUpdates(2, (started) => (world = started));
  beforeEach(async () => {
    for (const index of [0, 1]) {
      removeItemsWithUpdates(world.site(index));
      releaseUpdates(world.site(index), { translations: ['akismet'], ...(index === 0 && { plugins: [ALPHA] }) });
      world.site(index).requests.length = 0;
    }
    await show(1);
    await world.ability('sync-sites-v1');
  });

  const show = (show_language_updates: 0 | 1) => editSettings(world, 'general', { show_language_updates });
  const get = async (path: string) => (await world.request('GET', `/api/v2${path}`)).body;

  /** Returns the values of every list and counter of updates. */
  async function shown() {
    const id = world.siteId(0);
    const [first, fleet, basic, record, detail] = [
      await readUpdates(world, id),
      await get('/updates'),
      await get('/sites/basic?status=available_update'),
      await get(`/sites/${id}`),
      await get(`/sites/${id}?full_data=true`),
    ];
    return {
      site: first.site,
      fleet: first.fleet,
      summaries: first.summaries.map(({ translations, total }) => [translations, total]),
      totals: [first.total, fleet.total, fleet.summary.translations, (await get(`/updates/${id}`)).total],
      only: (await get('/updates?type=translations')).total as number,
      sites: [basic.total, (await world.ability('list-sites-v1', { status: 'available_update' })).total],
      counts: [record.data.updates.translations, record.data.updates.total],
      upgrades: detail.data.translation_upgrades.length as number,
    };
  }

  it('when translations are hidden, then no list or counter has them until they are shown again', async () => {
    const all = {
      site: [`plugin ${ALPHA}`, 'translation akismet'],
      fleet: [`plugin ${ALPHA}`, 'translation akismet'],
      summaries: [
        [1, 2],
        [1, 2],
      ],
      totals: [2, 3, 2, 2],
      only: 2,
      sites: [2, 2],
      counts: [1, 2],
      upgrades: 1,
    };
    assert.deepEqual(await shown(), all);
    await show(0);
    assert.deepEqual(await shown(), {
      site: [`plugin ${ALPHA}`],
      fleet: [`plugin ${ALPHA}`],
      summaries: [
        [0, 1],
        [0, 1],
      ],
      totals: [1, 1, 0, 1],
      only: 0,
      sites: [1, 1],
      counts: [0, 1],
      upgrades: 0,
    });
    await show(1);
    assert.deepEqual(await shown(), all);
  });

  it('when translations are hidden, then an update without a type does not install them', async () => {
    await show(0);
    const { body } = await world.request('POST', `/api/v2/updates/${world.siteId(0)}/update`, { body: {} });
    assert.deepEqual(
      body.data.map(({ slug }: { slug: string }) => slug),
      [ALPHA],
    );
    assert.deepEqual((await world.ability('update-all-v1')).summary.total_updated, 0);
    assert.deepEqual(upgradeCallsOf(world.site(1)), []);
  });

  it('when translations are hidden, then an update by type or slug installs them', async () => {
    await show(0);
    const [first, second] = world.siteIds;
    const path = `/api/v2/updates/${first}/update/translations`;
    const { body } = await world.request('POST', path, { body: { slug: 'akismet' } });
    assert.deepEqual(
      body.data.map(({ slug }: { slug: string }) => slug),
      ['akismet'],
    );
    const answer = await world.ability('run-updates-v1', {
      site_ids_or_domains: [second],
      specific_items: ['akismet'],
    });
    assert.equal(answer.summary.total_updated, 1);
  });
});
