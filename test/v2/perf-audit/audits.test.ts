import { ALL_SITES } from '../../../src/shared/site-scope.ts';
import assert from 'node:assert/strict';
import {
  reportReply,
  API_KEY,
  usePageSpeedApi,
  auditSite,
  auditSites,
  FakePageSpeedApi,
  readAudit,
  errorReply,
  lighthouseReport,
  scoreReply,
} from '../../support/perf-audit.ts';
import { emptyFields } from '../../support/empty-fields.ts';
import { withoutModule } from '../../support/modules.ts';
import { ManualClock, readSchedule, runSchedule, runDueAt } from '../../support/schedules.ts';
import { seedSite } from '../../support/sites.ts';
import { editSettings } from '../../support/settings.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';
import { unlimitedRequester } from '../../../src/shared/requester.ts';

const AUDIT = '/api/v2/perf-audit/audit';
const RESULTS = '/api/v2/perf-audit/results';
const NOBODY = { as: 'nobody', expect: 401 } as const;

describe('performance audits', () => {
  let world: World;
  let api: FakePageSpeedApi;
  let clock: ManualClock;
  beforeEach(async () => {
    clock = new ManualClock('2026-11-22T08:00:00Z');
    api = await FakePageSpeedApi.start();
    world = await startWorld({ sites: 3, env: { SITEFLEET_PAGESPEED_URL: api.url }, overrides: { clock } });
    await usePageSpeedApi(world);
  });
  afterEach(async () => {
    await world.close();
    await api.close();
  });

  const list = async (query = '') => (await world.request('GET', `${RESULTS}${query}`)).body;
  const listed = async (query: string) => Object.keys((await list(query)).data).map(Number);
  const alerts = () => world.container.database.knex('alerts').where({ type: 'perf_audit_noti_email' }).select('*');

  it('when a site was never audited, then its state is never and its scores are null', async () => {
    const audit = await readAudit(world, world.siteId(0));
    const { id, site_id, url, audit_id, state, strategy, engine, desktop, mobile, last_check, error } = audit;
    assert.deepEqual([id, site_id, url], [world.siteId(0), world.siteId(0), world.site(0).url]);
    assert.deepEqual([audit_id, state, strategy, engine], [null, 'never', 'both', null]);
    assert.deepEqual([desktop, mobile, last_check, error, audit.below_threshold], [null, null, null, null, false]);
  });

  it('when a site is audited, then the API is called for both devices and the scores are stored', async () => {
    api.nextReplies.push(scoreReply(87), scoreReply(64));
    const { data, items } = await auditSites(world, [world.siteId(0)]);
    assert.deepEqual([data.type, data.status, data.succeeded], ['perf-audit', 'completed', 1]);
    const audit = await readAudit(world, world.siteId(0), '?with_opportunities=true&history=1');
    assert.deepEqual(items[0].result.audit, {
      audit_id: audit.audit_id,
      state: 'completed',
      desktop_performance: 87,
      mobile_performance: 64,
    });
    for (const [index, strategy] of ['desktop', 'mobile'].entries()) {
      const asked = api.requests[index];
      assert.deepEqual(
        ['url', 'strategy', 'locale', 'key'].map((name) => asked?.get(name)),
        [world.site(0).url, strategy, 'en', API_KEY],
      );
      assert.deepEqual(asked?.getAll('category'), ['performance', 'accessibility', 'best-practices', 'seo']);
    }
    assert.deepEqual([audit.state, audit.engine, audit.error], ['completed', 'pagespeed', null]);
    assert.deepEqual([audit.desktop_performance, audit.mobile_performance], [87, 64]);
    assert.deepEqual([audit.desktop_accessibility_score, audit.mobile_accessibility_score], [94, 94]);
    assert.deepEqual([audit.desktop_best_practices_score, audit.mobile_best_practices_score], [100, 100]);
    assert.deepEqual([audit.desktop_seo_score, audit.mobile_seo_score], [92, 92]);
    assert.deepEqual([audit.threshold, audit.below_threshold, audit.last_check], [50, false, '2026-11-22T08:00:00Z']);
    const { lab_data: lab, opportunities, ...side } = audit.mobile;
    assert.deepEqual(side, {
      performance: 64,
      accessibility: 94,
      best_practices: 100,
      seo: 92,
      previous: null,
      change: null,
      fetched_at: '2026-11-22T08:00:00Z',
      final_url: 'https://shop.example/home',
      engine_version: '13.0.1',
    });
    assert.deepEqual(
      lab.map(({ id }: { id: string }) => id),
      [
        'first-contentful-paint',
        'speed-index',
        'largest-contentful-paint',
        'interactive',
        'total-blocking-time',
        'cumulative-layout-shift',
      ],
    );
    assert.deepEqual(lab[2], {
      id: 'largest-contentful-paint',
      title: 'Largest Contentful Paint',
      score: 0.82,
      numeric_value: 2103.4,
      numeric_unit: 'millisecond',
      display_value: '2.1 s',
    });
    assert.deepEqual(
      opportunities.map(({ id, savings_ms }: { id: string; savings_ms: number }) => [id, savings_ms]),
      [
        ['render-blocking-insight', 800],
        ['unused-css-rules', 450],
      ],
    );
    assert.deepEqual(
      audit.history.map(({ strategy, performance, audit_id }: Record<string, unknown>) => [
        strategy,
        performance,
        audit_id === audit.audit_id,
      ]),
      [
        ['mobile', 64, true],
        ['desktop', 87, true],
      ],
    );
    const text = JSON.stringify([data, items, audit, await world.container.database.knex('settings').select('*')]);
    assert.ok(![text, world.logLines.join('')].join('').includes(API_KEY), 'the key is told nobody');
  });

  it('when a site is audited again, then the result has the changes, and the history the old scores', async () => {
    api.nextReplies.push(scoreReply(87), scoreReply(64));
    await auditSite(world, world.siteId(0));
    clock.set('2026-11-23T08:00:00Z');
    api.nextReplies.push(scoreReply(80), scoreReply(70));
    const { desktop, mobile } = await auditSite(world, world.siteId(0));
    assert.deepEqual([desktop.change, mobile.change], [-7, 6]);
    assert.deepEqual(mobile.previous, { performance: 64, accessibility: 94, best_practices: 100, seo: 92 });
    const query = '?history=1&with_opportunities=true';
    const one = (await list(query)).data[world.siteId(0)];
    assert.deepEqual(one, await readAudit(world, world.siteId(0), query));
    assert.deepEqual(emptyFields(one), ['error']);
    const days = async (span: string) =>
      (await readAudit(world, world.siteId(0), `?history=1&${span}`)).history.map(
        ({ fetched_at, performance }: Record<string, unknown>) => [String(fetched_at).slice(0, 10), performance],
      );
    assert.deepEqual(await days('start_date=2026-11-23'), [
      ['2026-11-23', 70],
      ['2026-11-23', 80],
    ]);
    assert.deepEqual(await days('end_date=2026-11-22'), [
      ['2026-11-22', 64],
      ['2026-11-22', 87],
    ]);
  });

  it('when an audit is queued or running, then another request returns the same audit', async () => {
    let release = (): void => undefined;
    api.defaultReply = (response) => {
      const before = release;
      release = () => (before(), scoreReply(90)(response));
    };
    const path = `${AUDIT}/${world.siteId(0)}`;
    const { body: first } = await world.request('POST', path);
    assert.deepEqual([first.data.state, first.message], ['queued', 'The audit is queued.']);
    await until(() => api.requests.length === 1, 'the audit to begin');
    assert.equal((await readAudit(world, world.siteId(0))).state, 'running');
    const [again, all] = await Promise.all([
      world.request('POST', path, { body: { force: true, strategy: 'mobile' } }),
      world.request('POST', AUDIT),
    ]);
    assert.deepEqual([again.body.data.audit_id, again.body.data.state], [first.data.audit_id, 'running']);
    assert.equal(all.body.data.audit_ids[world.siteId(0)], first.data.audit_id);
    assert.deepEqual([all.body.data.sites_queued, all.body.message], [2, '2 audits are queued.']);
    api.defaultReply = scoreReply(90);
    release();
    await world.finishedJob(first.data.job_id as string);
    await world.finishedJob(all.body.data.job_id as string);
    assert.equal((await readAudit(world, world.siteId(0))).audit_id, first.data.audit_id);
  });

  for (const [title, reply] of [
    ['succeeds', scoreReply(90)],
    ['fails', errorReply(500)],
    ['has to wait', errorReply(429)],
  ] as const)
    it(`when another process has taken over an audit that ${title}, then its result is not stored`, async () => {
      const { knex } = world.container.database;
      await editSettings(world, 'perf-audit', { strategy: 'mobile' });
      let answer = (): void => undefined;
      api.defaultReply = (response) => (answer = () => reply(response));
      const { body } = await world.request('POST', `${AUDIT}/${world.siteId(0)}`);
      await until(() => api.requests.length === 1, 'the audit to begin');
      const item = () => knex('job_items').where({ job_id: body.data.job_id });
      await item().update({ lease_owner: 'other', attempt: 2 });
      const audit = () =>
        knex('perf_audits')
          .where({ site_id: world.siteId(0) })
          .first('*');
      const before = await audit();
      answer();
      await until(() => world.container.queue.stats().running === 0, 'the item to end');
      assert.deepEqual(await audit(), before);
      assert.deepEqual(await knex('perf_audit_history').select('*'), []);
      await item().update({ lease_until: 0 });
      api.defaultReply = scoreReply(90);
      await world.finishedJob(body.data.job_id as string);
      assert.equal((await knex('perf_audit_history').select('*')).length, 1);
    });

  it('when many sites are audited, then the number of concurrent audits has the limit of the setting', async () => {
    await editSettings(world, 'perf-audit', { maximum_audits: 2, strategy: 'mobile' });
    let answer = (): void => undefined;
    api.defaultReply = (response) => {
      const before = answer;
      answer = () => (before(), scoreReply(90)(response));
    };
    const { body } = await world.request('POST', AUDIT);
    await until(() => api.requests.length === 2, 'two audits to begin');
    // In this time the queue polls twice, so it could have started a third audit.
    await new Promise((resolve) => setTimeout(resolve, 2200));
    assert.equal(api.requests.length, 2);
    api.defaultReply = scoreReply(90);
    answer();
    const { data } = await world.finishedJob(body.data.job_id as string);
    assert.deepEqual([data.succeeded, api.requests.length, api.maxConcurrent], [3, 3, 2]);
  });

  it('when a score falls below the threshold, then each fall raises one alert', async () => {
    await editSettings(world, 'perf-audit', { score_threshold: 60 });
    const audit = async (desktop: number, mobile: number) => {
      api.nextReplies.push(scoreReply(desktop), scoreReply(mobile));
      const { below_threshold: below } = await auditSite(world, world.siteId(0));
      return [below, (await alerts()).length];
    };
    assert.deepEqual(await audit(90, 60), [false, 0]);
    assert.deepEqual(await audit(90, 59), [true, 1]);
    assert.deepEqual(await audit(50, 40), [true, 1]);
    assert.deepEqual(await audit(90, 61), [false, 1]);
    assert.deepEqual(await audit(59, 90), [true, 2]);
    const [alert] = await alerts();
    assert.deepEqual(JSON.parse(alert.facts as string), { score: 59, threshold: 60, desktop: 90, mobile: 59 });
    const recipients = { body: { recipients: 'ops@example.com' } };
    await world.request('PUT', '/api/v2/settings/emails/perf_audit_noti_email/edit', recipients);
    await world.request('POST', '/api/v2/schedules/alert-mails/run');
    const outbox = async () => (await world.request('GET', '/api/v2/outbox')).body.data;
    await until(async () => (await outbox()).length === 1, 'the mail');
    const { body } = await world.request('GET', `/api/v2/outbox/${(await outbox())[0].id}`);
    assert.equal(body.data.type, 'perf_audit_noti_email');
    for (const text of ['59 of 100', 'Threshold']) assert.ok(String(body.data.text).includes(text), text);
  });

  it('when a site is suspended or recently audited, then a run over several sites skips it', async () => {
    await auditSite(world, world.siteId(0));
    const { audit_id } = await readAudit(world, world.siteId(0));
    await world.ability('suspend-site-v1', { site_id_or_domain: world.siteId(1) });
    const suspended = await world.request('POST', `${AUDIT}/${world.siteId(1)}`, { expect: 409 });
    assert.equal(suspended.body.code, 'svc_site_suspended');
    const { body } = await world.request('POST', AUDIT, { body: { websites: [...world.siteIds, 'nope.example'] } });
    assert.deepEqual(body.data.skipped, [
      { site_id: world.siteId(0), code: 'svc_audit_recent' },
      { site_id: world.siteId(1), code: 'svc_site_suspended' },
    ]);
    assert.deepEqual([body.data.sites_queued, body.errors[0].code], [1, 'svc_site_not_found']);
    const { body: one } = await world.request('POST', `${AUDIT}/${world.siteId(0)}`);
    assert.deepEqual([one.data.audit_id, one.data.state], [audit_id, 'completed']);
    clock.set('2026-11-22T09:00:01Z');
    const { body: later } = await world.request('POST', `${AUDIT}/${world.siteId(0)}`);
    assert.deepEqual([later.data.audit_id === audit_id, later.data.state], [false, 'queued']);
    await world.finishedJob(later.data.job_id as string);
  });

  it('when results are filtered, then the filters combine in a constant number of SQL statements', async () => {
    const [one, two, three] = world.siteIds as [number, number, number];
    api.nextReplies.push(scoreReply(90), scoreReply(40));
    await auditSite(world, one);
    clock.set('2026-11-24T08:00:00Z');
    api.nextReplies.push(scoreReply(95), scoreReply(85));
    await auditSite(world, two);
    const tag = (await world.request('POST', '/api/v2/tags/add', { body: { name: 'shops' } })).body.data;
    await world.request('PUT', `/api/v2/sites/${one}/edit`, { body: { groupids: [tag.id] } });
    const client = await world.request('POST', '/api/v2/clients/add', {
      body: { name: 'Bakery', client_email: 'b@example.com', selected_sites: [two] },
    });
    for (const [query, expected] of [
      ['', [one, two, three]],
      ['?state=never', [three]],
      ['?state=completed', [one, two]],
      ['?min_score=50', [two]],
      ['?max_score=50', [one]],
      ['?max_score=50&strategy=desktop', []],
      ['?min_score=90&strategy=desktop', [one, two]],
      ['?groups=shops', [one]],
      [`?groups=${tag.id}&state=never`, []],
      ['?clients=b@example.com', [two]],
      [`?websites=${one},${three},nope.example`, [one, three]],
      ['?websites=nope.example', []],
      ['?start_date=2026-11-23', [two]],
      ['?end_date=2026-11-22', [one]],
      [`?search=${new URL(world.site(2).url).hostname}`, [three]],
      ['?per_page=1&page=2', [two]],
    ] as const)
      assert.deepEqual(await listed(query), expected, query);
    assert.equal(client.body.success, 1);
    const missing = await world.request('GET', `${RESULTS}?groups=nope`, { expect: 404 });
    assert.equal(missing.body.code, 'svc_tag_not_found');
    const page = await list('?strategy=mobile&history=1');
    assert.deepEqual([page.data[one].strategy, page.data[one].desktop], ['mobile', null]);
    assert.equal(page.data[one].history.length, 1);
    const cost = (query: string) => world.countStatements(() => list(query));
    assert.equal(await cost('?per_page=1&history=1'), await cost('?per_page=3&history=1'));
  });

  it('when audits exist, then a request locks their rows before it writes, so two requests cannot deadlock', async () => {
    await auditSite(world, world.siteId(0));
    const { knex } = world.container.database;
    const statements: string[] = [];
    const collect = ({ sql, __knexTxId: id }: { sql: string; __knexTxId?: string }) => {
      if (id !== undefined && /.perf_audits./.test(sql)) statements.push(sql.slice(0, 6));
    };
    knex.on('query', collect);
    const { body } = await world.request('POST', `${AUDIT}/${world.siteId(0)}`, { body: { force: true } });
    const [first, second] = statements;
    knex.off('query', collect);
    assert.deepEqual([first, second], ['select', 'insert']);
    await world.finishedJob(body.data.job_id as string);
  });

  it('when a page has many sites, then each statement reads the audits of at most 20 of them', async () => {
    const { knex } = world.container.database;
    const ids = [...world.siteIds];
    for (let count = 0; count < 22; count++) ids.push((await seedSite(world)).id);
    const scores = { performance: 50, accessibility: 60, best_practices: 70, seo: 80 };
    const shown = { performance: 50, accessibility: 60, bestPractices: 70, seo: 80 };
    const empty = { previous: null, finalUrl: null, engineVersion: null, labData: [], opportunities: [] };
    const details = { ...empty, scores: shown, fetchedAt: clock.now() };
    for (const site_id of ids) {
      const entry = { site_id, strategy: 'mobile', ...scores };
      const rows = [1, 2].map((at) => ({ ...entry, audit_id: `${site_id}-${at}`, fetched_at: clock.now() + at }));
      await knex('perf_audit_history').insert(rows);
      await knex('perf_audit_sides').insert({ ...entry, details: JSON.stringify(details) });
    }
    const sizes: number[] = [];
    const count = ({ sql, bindings }: { sql: string; bindings: unknown[] }) => {
      if (/from .perf_audit_(sides|history)/.test(sql))
        sizes.push(bindings.filter((id) => ids.includes(Number(id))).length);
    };
    knex.on('query', count);
    const { data } = await list('?history=1&per_page=500');
    knex.off('query', count);
    assert.deepEqual(sizes, [20, 20, 5, 5]);
    for (const id of ids)
      assert.deepEqual(
        data[id].history.map(({ audit_id }: { audit_id: string }) => audit_id),
        [`${id}-2`, `${id}-1`],
      );
  });

  it('when the API key is missing, then the audit fails with missing_api_key and can be retried', async () => {
    await editSettings(world, 'perf-audit', { api_key: null });
    const { data, items } = await auditSites(world, [world.siteId(0)]);
    assert.deepEqual([data.status, items[0].error.code], ['failed', 'svc_audit_failed']);
    const { state, error } = await readAudit(world, world.siteId(0));
    assert.deepEqual([state, error.code], ['failed', 'missing_api_key']);
    const { body } = await world.request('POST', `/api/v2/jobs/${data.job_id}/retry-failed`);
    await editSettings(world, 'perf-audit', { api_key: API_KEY });
    await world.finishedJob(body.job_id ?? body.data.job_id);
    assert.equal((await readAudit(world, world.siteId(0))).audit_id === null, false);
  });

  it('when the job is cancelled, then its audits are failed, and new audits can be requested', async () => {
    await editSettings(world, 'perf-audit', { strategy: 'mobile' });
    api.defaultReply = () => undefined;
    const { body } = await world.request('POST', AUDIT);
    await until(() => api.requests.length === 1, 'the first audit to begin');
    await world.request('DELETE', `/api/v2/jobs/${body.data.job_id}`);
    await world.finishedJob(body.data.job_id as string);
    const states = Object.values<{ state: string; error: { code: string } }>((await list()).data);
    assert.deepEqual(
      states.map(({ state, error }) => [state, error.code]),
      Array(3).fill(['failed', 'interrupted']),
    );
    assert.deepEqual(await listed('?state=failed'), world.siteIds);
    api.defaultReply = scoreReply(90);
    assert.equal((await auditSite(world, world.siteId(2))).state, 'completed');
  });

  it('when the module is off, then its routes return 404, and its schedule and jobs pause', async () => {
    const { body: queued } = await world.request('POST', AUDIT, { body: { websites: [world.siteId(2)] } });
    await world.finishedJob(queued.data.job_id as string);
    await withoutModule(world, 'perf-audit', async () => {
      for (const [method, path] of [
        ['GET', RESULTS],
        ['GET', `${RESULTS}/${world.siteId(0)}`],
        ['POST', AUDIT],
        ['POST', `${AUDIT}/${world.siteId(0)}`],
        ['GET', '/api/v2/settings/perf-audit'],
      ] as const)
        assert.equal((await world.request(method, path, { expect: 404 })).body.code, 'svc_module_not_available');
      assert.equal((await readSchedule(world, 'performance-audits')).active, false);
      const { audits } = world.container.services.perfAudit;
      const asked = api.requests.length;
      const request = { strategy: null, force: true, requestedBy: unlimitedRequester('test') };
      const { jobId } = await audits.requestMany(ALL_SITES, [world.siteId(0)], request);
      const item = async () => (await world.request('GET', `/api/v2/jobs/${jobId}`)).body.items[0];
      const isPutOff = async () => (await item()).started_at !== null && (await item()).state === 'waiting';
      await until(isPutOff, 'the item to be put off');
      assert.equal(api.requests.length, asked);
      await world.request('DELETE', `/api/v2/jobs/${jobId}`);
      const { data } = await world.finishedJob(String(jobId));
      assert.deepEqual([data.status, data.succeeded, data.not_begun], ['cancelled', 0, 1]);
    });
  });

  it('when automatic audits are on, then all connected sites are audited at the set frequency', async () => {
    assert.deepEqual(await runDueAt(world, clock, 'performance-audits', '2026-11-30T09:00:00Z'), []);
    await editSettings(world, 'perf-audit', { automatic: 1, frequency: 'weekly' });
    await runDueAt(world, clock, 'performance-audits', '2026-11-30T09:00:00Z');
    const { next_run } = await readSchedule(world, 'performance-audits');
    assert.equal(next_run, '2026-12-07T01:30:00Z');
    const [jobId] = await runDueAt(world, clock, 'performance-audits', '2026-12-07T01:30:00Z');
    const { data } = await world.finishedJob(String(jobId));
    assert.deepEqual([data.total, data.succeeded], [3, 3]);
  });

  it('when scores are older than the retention, then the history is deleted and the newest score stays', async () => {
    await editSettings(world, 'perf-audit', { retention_days: 30 });
    await auditSite(world, world.siteId(0));
    clock.set('2026-12-23T08:00:00Z');
    await runSchedule(world, 'retention');
    const { history, mobile } = await readAudit(world, world.siteId(0), '?history=1');
    assert.deepEqual([history, mobile.performance], [[], 90]);
  });

  it('when a site is deleted, then its audit data is deleted', async () => {
    await auditSite(world, world.siteId(0));
    await world.ability('delete-site-v1', { site_id_or_domain: world.siteId(0), confirm: true });
    const { knex } = world.container.database;
    for (const table of ['perf_audits', 'perf_audit_sides', 'perf_audit_history'])
      assert.deepEqual(await knex(table).select('*'), [], table);
  });

  it('when the audit of one device fails, then the scores of the other are stored with an error', async () => {
    api.nextReplies.push(
      scoreReply(88),
      reportReply(lighthouseReport(null, { runtimeError: { code: 'NO_FCP', message: 'x' } })),
    );
    const { state, desktop_performance, mobile, error } = await auditSite(world, world.siteId(0));
    assert.deepEqual([state, desktop_performance, mobile], ['completed', 88, null]);
    assert.deepEqual(error, {
      code: 'page_unreachable',
      message: 'Lighthouse could not load the page (NO_FCP). (mobile)',
    });
  });

  it('when the API fails for the first device, then the second is not requested', async () => {
    api.defaultReply = errorReply(500);
    const { state, error } = await auditSite(world, world.siteId(0));
    assert.deepEqual([state, error.code, api.requests.length], ['failed', 'provider_failed', 1]);
  });

  it('when the right is missing or a parameter is invalid, then no audit is queued', async () => {
    await world.request('POST', AUDIT, { as: 'viewer', expect: 403 });
    await world.request('POST', `${AUDIT}/${world.siteId(0)}`, { as: 'reader', expect: 403 });
    await world.request('GET', RESULTS, NOBODY);
    await world.request('POST', `${AUDIT}/999`, { expect: 404 });
    await world.request('POST', AUDIT, { body: { strategy: 'tv' }, expect: 400 });
    await world.request('GET', `${RESULTS}?min_score=101`, { expect: 400 });
    await list();
    assert.equal(api.requests.length, 0);
  });
});
