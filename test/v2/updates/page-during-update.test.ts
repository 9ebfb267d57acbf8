import assert from 'node:assert/strict';
import type { AlertFacts } from '../../../src/domains/mail/index.ts';
import { editSettings } from '../../support/settings.ts';
import { ALPHA, removeItemsWithUpdates, startWorldWithoutUpdates, releaseUpdates } from '../../support/updates.ts';
import { alertsOf } from '../../support/uptime.ts';
import type { World } from '../../support/world.ts';

/** Delays of the two repeated checks, then durations of an update that ends between or after them, in milliseconds. */
const PAGE_CHECK_DELAYS_MS = [150, 500];
const [BETWEEN, LATE] = [320, 5_000];

/** A gateway times out, while PHP continues the update in maintenance mode. */
describe('HTTP check during a slow update', () => {
  let world: World;
  beforeEach(async () => {
    world = await startWorldWithoutUpdates(1, {
      overrides: { deadlines: { lookAgainMs: PAGE_CHECK_DELAYS_MS, pageAgainMs: 10 } },
    });
    await editSettings(world, 'general', { check_http_response: 1, check_http_response_method: 'get' });
    const site = world.site(0);
    removeItemsWithUpdates(site);
    site.performWpAdminAction({ do: 'activate-plugin', plugin: ALPHA });
    releaseUpdates(site, { plugins: [ALPHA] });
    await world.ability('sync-sites-v1');
    site.requests.length = 0;
  });
  afterEach(() => world.close());

  const update = async (doneMs: number) => {
    world.site(0).faultQueue.push({ kind: 'goes-on', doneMs, function: 'upgradeplugintheme' });
    const path = `/api/v2/updates/${world.siteId(0)}/update/plugins`;
    return (await world.request('POST', path, { body: {} })).body;
  };
  const mark = async () => (await world.request('GET', `/api/v2/sites/${world.siteId(0)}`)).body.data.broken_by_update;
  const alerts = () => alertsOf<AlertFacts['http_check']>(world, 'http_check');

  it('when the page is in maintenance mode only during the update, then no update is blamed', async () => {
    const { data, errors, health } = await update(BETWEEN);
    assert.deepEqual([data.length, errors], [1, []]);
    assert.ok(world.site(0).requests.some(({ status }) => status === 503));
    assert.deepEqual(health, { state: 'well', probe: 'home_page', status_before: 200, status_after: 200 });
    assert.deepEqual([await mark(), await alerts()], [null, []]);
  });

  it('when the page is broken after the update, then the update is blamed', async () => {
    world.site(0).defects.breakingPage.set(ALPHA, 500);
    const { health } = await update(BETWEEN);
    assert.deepEqual(health, { state: 'broken', probe: 'home_page', status_before: 200, status_after: 500 });
    assert.equal((await mark()).status_after, 500);
    const [alert, ...others] = await alerts();
    assert.deepEqual([alert?.facts.updates.map(({ slug }) => slug), others], [[ALPHA], []]);
  });

  it('when the update is not done at the last check, then the page has no result', async () => {
    const { data, errors, health } = await update(LATE);
    assert.deepEqual([data, errors[0].code], [[], 'svc_outcome_unknown']);
    assert.equal(health, null);
    assert.deepEqual([await mark(), await alerts()], [null, []]);
  });
});
