import assert from 'node:assert/strict';
import type { AlertFacts } from '../../../src/domains/mail/index.ts';
import {
  ALPHA,
  removeItemsWithUpdates,
  BETA,
  GAMMA,
  withWorldWithoutUpdates,
  releaseUpdates,
} from '../../support/updates.ts';
import { editSettings } from '../../support/settings.ts';
import type { World } from '../../support/world.ts';

interface Done {
  slug: string;
  broke_site?: boolean;
}

describe('HTTP check after updates', () => {
  let world: World;
  withWorldWithoutUpdates(2, (started) => (world = started));
  beforeEach(async () => {
    for (const index of [0, 1]) {
      const site = world.site(index);
      site.fault = null;
      site.defects.breakingPage.clear();
      removeItemsWithUpdates(site);
      for (const plugin of [ALPHA, BETA, GAMMA]) site.performWpAdminAction({ do: 'activate-plugin', plugin });
      releaseUpdates(site, { plugins: [ALPHA, BETA, GAMMA] });
      site.requests.length = 0;
    }
    await world.container.database.knex('alerts').delete();
    await world.container.database.knex('site_states').update({ broken_by_update: null });
    await check({ check_http_response: 1, check_http_response_method: 'head' });
    await world.ability('sync-sites-v1');
  });

  const check = (settings: { check_http_response: 0 | 1; check_http_response_method: 'head' | 'get' }) =>
    editSettings(world, 'general', settings);
  const update = async (index = 0) =>
    (await world.request('POST', `/api/v2/updates/${world.siteId(index)}/update/plugins`, { body: {} })).body;
  const broke = ({ data }: { data: Done[] }) => data.filter(({ broke_site }) => broke_site).map(({ slug }) => slug);
  const looks = (method: string) => world.site(0).requests.filter((request) => request.method === method).length;
  const mark = async () => (await world.request('GET', `/api/v2/sites/${world.siteId(0)}`)).body.data.broken_by_update;
  async function alerts() {
    const rows = await world.container.database
      .knex('alerts')
      .orderBy('id')
      .select<{ type: string; facts: string }[]>('type', 'facts');
    return rows.map(({ type, facts }) => ({ type, ...(JSON.parse(facts) as AlertFacts['http_check']) }));
  }

  it('when the setting is off, then the home page is not requested', async () => {
    await check({ check_http_response: 0, check_http_response_method: 'head' });
    const answer = await update();
    assert.deepEqual([answer.health, broke(answer), await alerts()], [null, [], []]);
  });

  for (const method of ['head', 'get'] as const)
    it(`when the method is ${method}, then it requests the home page before and after each update`, async () => {
      await check({ check_http_response: 1, check_http_response_method: method });
      const answer = await update();
      assert.deepEqual(answer.health, { state: 'well', probe: 'home_page', status_before: 200, status_after: 200 });
      assert.equal(looks(method.toUpperCase()), 4);
      assert.equal(looks(method === 'head' ? 'GET' : 'HEAD'), 0);
      assert.deepEqual([await mark(), await alerts()], [null, []]);
    });

  for (const [words, effect, status] of [
    ['a fatal error', 'the run stops, and the alert', 500],
    ['no response', 'the alert', 0],
    ['404', 'the alert', 404],
  ] as const)
    it(`when one of several updates makes the page return ${words}, then ${effect} names this update`, async () => {
      world.site(0).defects.breakingPage.set(BETA, status);
      const answer = await update();
      const stops = status === 500;
      assert.equal(answer.data.length, stops ? 2 : 3);
      assert.deepEqual(broke(answer), [BETA]);
      assert.deepEqual(answer.health, {
        state: 'broken',
        probe: 'home_page',
        status_before: 200,
        status_after: status,
      });
      assert.deepEqual(
        answer.errors.map(({ slug, code }: { slug: string; code: string }) => [slug, code]),
        [BETA, ...(stops ? [GAMMA] : [])].map((slug) => [slug, 'svc_site_refused']),
      );
      const named = { type: 'plugin', slug: BETA, name: 'Beta' };
      const facts = { ...named, fromVersion: '1.0.0', toVersion: '9.1' };
      assert.deepEqual(await alerts(), [
        {
          type: 'http_check',
          probe: 'home_page',
          statusBefore: 200,
          statusAfter: status,
          updates: [facts],
          jobId: null,
        },
      ]);
      const { since: _since, ...marked } = await mark();
      const updates = [{ ...named, old_version: '1.0.0', new_version: '9.1' }];
      assert.deepEqual(marked, { probe: 'home_page', status_before: 200, status_after: status, updates });
    });

  it('when the status of the page is an accepted code, then no alert is raised', async () => {
    await editSettings(world, 'monitoring', { svc_uptime_monitoring_up_status_codes: [200, 404] });
    world.site(0).defects.breakingPage.set(BETA, 404);
    const answer = await update();
    assert.deepEqual([answer.health.state, await mark()], ['well', null]);
    await editSettings(world, 'monitoring', { svc_uptime_monitoring_up_status_codes: null });
  });

  it('when the page failed before the updates, then it is left out, and the other probes decide', async () => {
    world.site(0).fault = { kind: 'raw', status: 500, body: '', function: 'HEAD' };
    const answer = await update();
    assert.deepEqual(answer.health, { state: 'well', probe: 'admin_ajax', status_before: 400, status_after: 400 });
    assert.deepEqual([broke(answer), await mark(), await alerts()], [[], null, []]);
  });

  it('when a single request fails, then the page is requested again and found well', async () => {
    const site = world.site(0);
    site.faultQueue.push(
      { kind: 'delay', ms: 0, function: 'HEAD' },
      { kind: 'raw', status: 500, body: '', function: 'HEAD' },
    );
    const answer = await update();
    assert.deepEqual([answer.health.state, broke(answer), await alerts()], ['well', [], []]);
    assert.equal(looks('HEAD'), 5);
  });

  it('when a later update repairs the page, then no alert is raised', async () => {
    const site = world.site(0);
    site.defects.breakingPage.set(ALPHA, 404);
    const mend = setInterval(() => {
      if (site.state.plugins.get(BETA)?.update === null) site.defects.breakingPage.clear();
    }, 1);
    const answer = await update().finally(() => clearInterval(mend));
    assert.deepEqual([answer.health.state, broke(answer), await alerts()], ['well', [], []]);
  });

  it('when a check finds the site well again, then the mark is removed, and a new break raises an alert', async () => {
    const site = world.site(0);
    site.defects.breakingPage.set(BETA, 500);
    await update();
    await world.ability('check-site-v1', { site_id_or_domain: world.siteId(0) });
    assert.ok(await mark());
    site.defects.breakingPage.clear();
    await world.ability('check-site-v1', { site_id_or_domain: world.siteId(0) });
    assert.equal(await mark(), null);
    site.performWpAdminAction({ do: 'release-plugin', plugin: GAMMA, version: '9.5' });
    await world.ability('sync-sites-v1');
    site.defects.breakingPage.set(GAMMA, 500);
    assert.deepEqual(broke(await update()), [GAMMA]);
    assert.equal((await alerts()).length, 2);
  });

  it('when an HTTP monitor finds the site well again, then the mark is removed; a ping monitor keeps it', async () => {
    const site = world.site(0);
    site.defects.breakingPage.set(BETA, 500);
    await update();
    const monitor = `/api/v2/monitors/${world.siteId(0)}`;
    const watched = async (type: 'http' | 'ping'): Promise<string> => {
      await world.request('PUT', `${monitor}/settings`, { body: { type, maxretries: 0 } });
      return (await world.request('POST', `${monitor}/check`)).body.data.uptime_status;
    };
    assert.equal(await watched('http'), 'pending');
    assert.ok(await mark());
    site.defects.breakingPage.clear();
    assert.equal(await watched('ping'), 'up');
    assert.ok(await mark());
    assert.equal(await watched('http'), 'up');
    assert.equal(await mark(), null);
  });

  it('when a job updates several sites and one breaks, then its item has this result', async () => {
    world.site(0).defects.breakingPage.set(BETA, 500);
    const answer = await world.ability('run-updates-v1', { types: ['plugins'] });
    assert.equal(answer.updated.length, 5, 'the run on the broken site stops');
    const [job] = (await world.request('GET', '/api/v2/jobs?type=update')).body.data;
    const { items } = await world.finishedJob(job.job_id);
    assert.deepEqual(items.map(({ result }: { result: { health: { state: string } } }) => result.health.state).sort(), [
      'broken',
      'well',
    ]);
    assert.deepEqual(
      (await alerts()).map(({ jobId }) => jobId),
      [job.job_id],
    );
  });
});
