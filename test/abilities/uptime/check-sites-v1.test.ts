import assert from 'node:assert/strict';
import { disconnectSite, suspendSite } from '../../support/sites.ts';
import { startWorld, type World } from '../../support/world.ts';

const NAME = 'check-sites-v1';

interface Result {
  site_id: number;
  site_url: string;
  reachable: boolean;
  response_time_ms: number;
  http_status: number;
}

interface Done {
  results: Result[];
  summary: { total_checked: number; reachable: number; unreachable: number; http_status: Record<string, number> };
  errors: { identifier: string | number; code: string }[];
}
interface QueuedJob {
  queued: boolean;
  job_id: string;
  status_url: string;
  sites_queued: number;
  errors: unknown[];
}
interface Job {
  data: { type: string; status: string; succeeded: number; failed: number };
  items: { site_id: number; result: { site_url: string; response_time_ms: number } }[];
}
interface Refusal {
  code: string;
}

describe(NAME, () => {
  let world: World;
  let ids: number[];

  before(async () => {
    world = await startWorld({ sites: 4 });
    ids = world.siteIds;
  });
  after(() => world.close());
  afterEach(() => world.fleet.sites.forEach((site) => (site.fault = null)));

  it('when sites are given, then results have their order, and a site that is down is a result too', async () => {
    world.site(2).fault = { kind: 'refuse' };
    const { results, summary, errors } = await world.ability<Done>(NAME, {
      site_ids_or_domains: [ids[2], world.site(0).url],
    });
    assert.deepEqual(
      results.map(({ response_time_ms: _, ...rest }) => rest),
      [
        { site_id: ids[2], site_url: world.site(2).url, reachable: false, http_status: 0 },
        { site_id: ids[0], site_url: world.site(0).url, reachable: true, http_status: 200 },
      ],
    );
    assert.deepEqual(summary, { total_checked: 2, reachable: 1, unreachable: 1, http_status: { 0: 1, 200: 1 } });
    assert.deepEqual(errors, []);
  });

  it('when sites respond with 500 or higher, then they are unreachable, and each status is counted', async () => {
    world.site(0).fault = { kind: 'raw', status: 503, body: 'Briefly unavailable for scheduled maintenance.' };
    world.site(1).fault = { kind: 'raw', status: 404, body: 'Not here.' };
    const { results, summary } = await world.ability<Done>(NAME, { site_ids_or_domains: ids.slice(0, 3) });
    assert.deepEqual(
      results.map(({ site_id, reachable, http_status }) => [site_id, reachable, http_status]),
      [
        [ids[0], false, 503],
        [ids[1], true, 404],
        [ids[2], true, 200],
      ],
    );
    assert.deepEqual(summary, {
      total_checked: 3,
      reachable: 2,
      unreachable: 1,
      http_status: { 200: 1, 404: 1, 503: 1 },
    });
  });

  it('when no sites are given, then all sites are checked, with any status', async () => {
    await suspendSite(world, world.siteId(1));
    await disconnectSite(world, world.siteId(3));
    for (const input of [undefined, {}, { site_ids_or_domains: [] }]) {
      const { results, summary } = await world.ability<Done>(NAME, input);
      assert.deepEqual(
        results.map(({ site_id }) => site_id).sort((a, b) => a - b),
        [...ids].sort((a, b) => a - b),
      );
      assert.deepEqual(summary, { total_checked: 4, reachable: 4, unreachable: 0, http_status: { 200: 4 } });
    }
  });

  it('when a site cannot be checked, then it is in the errors; a site given twice is checked once', async () => {
    world.site(1).fault = { kind: 'redirect', status: 302, location: 'http://169.254.169.254/' };
    const { results, errors } = await world.ability<Done>(NAME, {
      site_ids_or_domains: [ids[0], 'nowhere.example', ids[1], String(ids[0]), 99_999],
    });
    assert.deepEqual(
      results.map(({ site_id }) => site_id),
      [ids[0]],
    );
    assert.deepEqual(
      errors.map(({ identifier, code }) => [identifier, code]),
      [
        ['nowhere.example', 'svc_site_not_found'],
        [99_999, 'svc_site_not_found'],
        [ids[1], 'svc_address_refused'],
      ],
    );
    const none = await world.ability<Done>(NAME, { site_ids_or_domains: ['nowhere.example'] });
    assert.deepEqual(none.summary, { total_checked: 0, reachable: 0, unreachable: 0, http_status: {} });
  });

  it('when the input is invalid, then the error is ability_invalid_input', async () => {
    for (const input of [
      { site_ids_or_domains: 1 },
      { site_ids_or_domains: [0] },
      { site_ids_or_domains: [null] },
      { site_ids_or_domains: [''] },
      { sites: [1] },
    ])
      assert.equal((await world.ability<Refusal>(NAME, input, { expect: 400 })).code, 'ability_invalid_input');
  });

  it('when the caller may not write, then the call is rejected', async () => {
    const input = { site_ids_or_domains: [ids[0]] };
    await world.ability(NAME, input, { as: 'writer' });
    for (const as of ['viewer', 'reader'] as const)
      assert.equal((await world.ability<Refusal>(NAME, input, { as, expect: 403 })).code, 'svc_permission_denied');
    await world.ability(NAME, input, { as: 'nobody', expect: 401 });
  });

  it('when there are more than 200 sites, then a job checks them and stores each result', async () => {
    const { knex } = world.container.database;
    const fields = { name: 'many', name_key: 'many', status: 'suspended', created_at: 1, updated_at: 1 };
    for (let n = ids.length; n < 201; n++) {
      // The host exists, but its pages do not. It responds with 404.
      const url = `${world.site(0).url}page-${n}/`;
      const [site_id] = await knex('sites').insert<number[]>({ url, url_key: `many-${n}.example`, ...fields });
      await knex('site_states').insert({ site_id, notes: '', admin_username: 'admin', section_hashes: '{}' });
      await knex('site_secrets').insert({ site_id, server: '' });
    }
    await knex('revisions').where({ name: 'sites' }).increment('value', 1);
    const { queued, job_id, status_url, sites_queued, errors } = await world.ability<QueuedJob>(NAME);
    assert.deepEqual({ queued, sites_queued, errors }, { queued: true, sites_queued: 201, errors: [] });
    assert.equal(status_url, `${world.url}/api/v2/jobs/${job_id}`);
    const { data, items } = (await world.finishedJob(job_id)) as Job;
    assert.deepEqual([data.type, data.status, data.succeeded, data.failed], ['check', 'completed', 201, 0]);
    const missing = items.find(({ result }) => result.site_url.endsWith('/page-150/'));
    assert.deepEqual(
      { ...missing?.result, response_time_ms: 0 },
      {
        site_id: missing?.site_id,
        site_url: `${world.site(0).url}page-150/`,
        checked: true,
        reachable: true,
        response_time_ms: 0,
        http_status: 404,
      },
    );
  });
});
