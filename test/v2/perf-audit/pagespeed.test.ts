import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import {
  reportReply,
  usePageSpeedApi,
  auditSite,
  auditSites,
  FakePageSpeedApi,
  readAudit,
  errorReply,
  lighthouseReport,
  scoreReply,
} from '../../support/perf-audit.ts';
import { ManualClock } from '../../support/schedules.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

// Runs on SQLite only: the test is about answers of another server.

const plain =
  (status: number, body: string, type = 'text/html') =>
  (response: ServerResponse) => {
    response.writeHead(status, { 'content-type': type });
    response.end(body);
  };

const LONG = 'x'.repeat(5000);

describe('PageSpeed Insights API', () => {
  let world: World;
  let api: FakePageSpeedApi;
  let clock: ManualClock;
  before(async () => {
    clock = new ManualClock('2026-11-22T08:00:00Z');
    api = await FakePageSpeedApi.start();
    const env = { SITEFLEET_PAGESPEED_URL: api.url };
    world = await startWorld({ sites: 1, env, overrides: { clock, deadlines: { auditMs: 4000 } } });
    await usePageSpeedApi(world, { strategy: 'mobile' });
  });
  after(async () => {
    await world.close();
    await api.close();
  });

  /** Audits a site with this response of the API and returns the error. */
  async function cameTo(reply: (response: ServerResponse) => void) {
    api.nextReplies.push(reply);
    const { data, items } = await auditSites(world, [world.siteId(0)]);
    const { state, error } = await readAudit(world, world.siteId(0));
    assert.deepEqual([data.status, state], ['failed', 'failed']);
    assert.deepEqual(
      [items.length, items[0].error.code, items[0].error.message],
      [1, 'svc_audit_failed', `${error.message}`],
    );
    return error;
  }

  const lighthouse = (code: string, status = 400) =>
    errorReply(status, {
      message: `Lighthouse returned error: ${code}. Lighthouse was unable to reliably load the page you requested.`,
      reason: 'lighthouseUserError',
    });

  for (const [title, reply, code, message] of [
    [
      'rejects the key',
      errorReply(400, { message: 'API key not valid. Please pass a valid API key.' }),
      'api_key_refused',
      /key \(400\)/,
    ],
    [
      'is not enabled for the key',
      errorReply(403, { reason: 'accessNotConfigured', name: 'PERMISSION_DENIED' }),
      'api_key_refused',
      /403/,
    ],
    ['rejects the URL', errorReply(400, { message: `Invalid value at 'url'` }), 'invalid_url', /400/],
    [
      'could not load the page',
      lighthouse('FAILED_DOCUMENT_REQUEST', 500),
      'page_unreachable',
      /\(FAILED_DOCUMENT_REQUEST\)/,
    ],
    ['gets an error page', lighthouse('ERRORED_DOCUMENT_REQUEST'), 'page_unreachable', /ERRORED_DOCUMENT_REQUEST/],
    ['reports an invalid URL', lighthouse('INVALID_URL'), 'invalid_url', /INVALID_URL/],
    ['has an internal error', errorReply(500, { reason: 'backendError', name: 'INTERNAL' }), 'provider_failed', /500/],
    ['is overloaded and answers HTML', plain(503, '<html>Service Unavailable</html>'), 'provider_failed', /503/],
    ['redirects', plain(302, ''), 'provider_failed', /302/],
    ['answers with HTML', plain(200, '<html><body>hi</body></html>'), 'bad_answer', /not JSON/],
    [
      'answers with truncated JSON',
      plain(200, '{"lighthouseResult": {"cat', 'application/json'),
      'bad_answer',
      /not JSON/,
    ],
    ['answers with a list', plain(200, '[1, 2]', 'application/json'), 'bad_answer', /not a Lighthouse report/],
    ['answers with null', plain(200, 'null', 'application/json'), 'bad_answer', /not a Lighthouse report/],
    [
      'answers without a report',
      plain(200, '{"kind": "pagespeedonline#result"}', 'application/json'),
      'bad_answer',
      /not a Lighthouse report/,
    ],
    [
      'has a report of a page that did not load',
      reportReply(lighthouseReport(90, { runtimeError: { code: 'PAGE_HUNG' } })),
      'page_unreachable',
      /PAGE_HUNG/,
    ],
    [
      'has a report with an error that has no name',
      reportReply(lighthouseReport(9, { runtimeError: { code: '<b>x' } })),
      'page_unreachable',
      /UNKNOWN/,
    ],
    [
      'has a report without categories',
      reportReply(lighthouseReport(90, { categories: [] })),
      'bad_answer',
      /no score/,
    ],
    [
      'has scores of other types',
      reportReply(
        lighthouseReport(90, { categories: { performance: { score: '0.9' }, seo: { score: 7 }, accessibility: 1 } }),
      ),
      'bad_answer',
      /no score/,
    ],
    [
      'closes the connection early',
      (response: ServerResponse) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write('{"lighthouseResult":');
        setTimeout(() => response.destroy(), 50);
      },
      'provider_failed',
      /could not be reached/,
    ],
    [
      'announces a huge response',
      (response: ServerResponse) => void response.writeHead(200, { 'content-length': '999999999999' }).write('{'),
      'bad_answer',
      /cannot be read/,
    ],
    ['never answers', () => undefined, 'timeout', /did not answer in time/],
    [
      'sends bytes slowly without end',
      (response: ServerResponse) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        const timer = setInterval(() => response.write(' '), 20);
        response.once('close', () => clearInterval(timer));
      },
      'timeout',
      /did not answer in time/,
    ],
    [
      'sends data fast without end',
      (response: ServerResponse) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        const block = Buffer.alloc(1 << 20, ' ');
        const more = (): void => void (!response.destroyed && response.write(block, () => setImmediate(more)));
        more();
      },
      // The error depends on which of the two limits is reached first.
      /^(bad_answer|timeout)$/,
      /./,
    ],
  ] as const)
    it(`when the API ${title}, then the audit fails with one error within the deadline`, async () => {
      const error = await cameTo(reply);
      assert.match(error.code, typeof code === 'string' ? new RegExp(`^${code}$`) : code);
      assert.match(error.message, message);
      assert.equal(api.requests.length, 1, 'it was asked once');
      api.requests.length = 0;
    });

  it('when the quota is used up, then the audit waits for Retry-After, up to three times', async () => {
    const quota = () =>
      errorReply(429, { reason: 'rateLimitExceeded', name: 'RESOURCE_EXHAUSTED', headers: { 'retry-after': '30' } });
    api.requests.length = 0;
    api.nextReplies.push(quota(), quota());
    const { body } = await world.request('POST', '/api/v2/perf-audit/audit', { body: { force: true } });
    const asked = (count: number) => until(() => api.requests.length === count, `question ${count}`);
    const rested = () =>
      until(async () => (await readAudit(world, world.siteId(0))).state === 'queued', 'the audit to wait');
    const item = async () => (await world.request('GET', `/api/v2/jobs/${body.data.job_id}`)).body.items[0];
    for (const count of [1, 2]) {
      await asked(count);
      await rested();
      await until(async () => (await item()).state === 'waiting', 'the item to be put off');
      clock.time += 31_000;
    }
    const { data } = await world.finishedJob(body.data.job_id as string);
    assert.deepEqual([data.status, api.requests.length], ['completed', 3]);
    api.nextReplies.push(errorReply(429, { headers: { 'retry-after': '86400' } }));
    const { error, state } = await auditSite(world, world.siteId(0));
    assert.deepEqual([state, error.code], ['failed', 'quota_exceeded'], 'nobody waits for a day');
  });

  it('when a report has malformed or huge values, then they are limited and sanitized', async () => {
    const audits = Object.fromEntries(
      Array.from({ length: 3000 }, (_, index) => [
        `audit-${index}`,
        { title: `${index} ${LONG}`, score: 2, displayValue: ['x'], metricSavings: { LCP: index + 1 } },
      ]),
    );
    api.nextReplies.push(
      reportReply(
        lighthouseReport(50, {
          finalDisplayedUrl: 'javascript:alert(1)',
          lighthouseVersion: { toString: 1 },
          audits: {
            ...audits,
            'speed-index': { title: 'Speed\u0000 Index\ud800', score: -1, numericValue: '12', displayValue: LONG },
            interactive: null,
          },
        }),
      ),
    );
    await auditSite(world, world.siteId(0));
    const { mobile } = await readAudit(world, world.siteId(0), '?with_opportunities=true');
    assert.deepEqual([mobile.final_url, mobile.engine_version, mobile.opportunities.length], [null, null, 30]);
    const [index] = mobile.lab_data;
    assert.deepEqual(
      [mobile.lab_data.length, index.title, index.score, index.numeric_value, index.display_value.length],
      [1, 'Speed  Index ', null, null, 300],
    );
    assert.ok(mobile.opportunities.every(({ title }: { title: string }) => title.length <= 300));
  });

  it('when the pause of a used up quota is not a number, then the audit waits a minute and is not dropped', async () => {
    for (const pause of ['', '-5', 'Infinity', '1e999', 'soon', '0']) {
      api.requests.length = 0;
      api.nextReplies.push(errorReply(429, { headers: { 'retry-after': pause } }));
      const { body } = await world.request('POST', '/api/v2/perf-audit/audit', { body: { force: true } });
      const path = `/api/v2/jobs/${body.data.job_id}`;
      const item = async () => (await world.request('GET', path)).body.items[0];
      await until(async () => (await item()).state === 'waiting', `the item to wait after ${pause}`);
      clock.time += 61_000;
      const ended = async () => {
        // Time goes on while the service works.
        clock.time += 100;
        return (await world.request('GET', path)).body.data.completed_at !== null;
      };
      await until(ended, `the audit to end after ${pause}`);
      const { data } = await world.finishedJob(body.data.job_id as string);
      assert.deepEqual([data.status, api.requests.length], ['completed', 2], pause);
    }
  });

  it('when any value of a report has another type, then the audit is completed, or failed with bad_answer', async () => {
    const paths = [
      ...[
        'lighthouseResult',
        'lighthouseResult.categories',
        'lighthouseResult.audits',
        'lighthouseResult.runtimeError',
      ],
      ...[
        'lighthouseResult.runtimeError.code',
        'lighthouseResult.finalDisplayedUrl',
        'lighthouseResult.lighthouseVersion',
      ],
      ...['performance', 'performance.score'].map((name) => `lighthouseResult.categories.${name}`),
      ...['speed-index', 'unused-css-rules', 'render-blocking-insight.metricSavings', 'unused-css-rules.details'].map(
        (name) => `lighthouseResult.audits.${name}`,
      ),
      ...['title', 'score', 'numericValue', 'numericUnit', 'displayValue'].map(
        (name) => `lighthouseResult.audits.speed-index.${name}`,
      ),
      'lighthouseResult.audits.unused-css-rules.details.overallSavingsMs',
    ];
    // Numbers beyond the range of a double, and objects without a text, cannot be written by JSON.stringify.
    const values = ['null', '[]', '{"toString":1}', '"x"', '1e999', '-1', 'true', '[[[{}]]]', '""', '1e11'];
    for (const path of paths) {
      api.nextReplies.push(
        ...values.map((value) => (response: ServerResponse) => {
          const whole = structuredClone({ lighthouseResult: lighthouseReport(50) }) as Record<string, unknown>;
          const names = path.split('.');
          const last = names.pop() ?? '';
          const owner = names.reduce((at, name) => (at[name] ??= {}) as Record<string, unknown>, whole);
          owner[last] = '@@';
          plain(200, JSON.stringify(whole).replace('"@@"', value), 'application/json')(response);
        }),
      );
      for (const value of values) {
        const { items } = await auditSites(world, [world.siteId(0)]);
        const { state, error } = await readAudit(world, world.siteId(0), '?with_opportunities=true');
        const outcome = [items[0].state, state, error?.code ?? null].join(' ');
        const codes = 'bad_answer|page_unreachable|invalid_url';
        assert.match(outcome, new RegExp(`^(succeeded completed |failed failed (${codes}))$`), `${path}: ${value}`);
      }
    }
  });

  it('when a response is nested deeply, then it is read or rejected like any other', async () => {
    const nested = (open: string, close: string): string => open.repeat(1_000_000) + close.repeat(1_000_000);
    for (const [body, outcome] of [
      [nested('[', ']'), 'failed'],
      [nested('{"lighthouseResult":', '}').replace(':}', ':1}'), 'failed'],
      ['['.repeat(1_000_000), 'failed'],
      [
        JSON.stringify({ lighthouseResult: lighthouseReport(50, { deep: '@@' }) }).replace('"@@"', nested('[', ']')),
        'completed',
      ],
      [
        JSON.stringify({ lighthouseResult: lighthouseReport(50, { audits: { a: { title: '@@' } } }) }).replace(
          '"@@"',
          nested('{"title":[', ']}').replace('[]', '[0]'),
        ),
        'completed',
      ],
    ] as const) {
      api.nextReplies.push(plain(200, body, 'application/json'));
      const { state, error } = await auditSite(world, world.siteId(0));
      assert.deepEqual([state, error?.code ?? null], [outcome, outcome === 'failed' ? 'bad_answer' : null]);
    }
  });

  it('when texts have scripts, formulas and links, then callers get plain text and reports no formula', async () => {
    const scripts = [
      ...[
        '<script>alert(1)</script>',
        '"><img src=x onerror=alert(1)>',
        '</style><svg onload=alert(1)>',
        '<%= 1 + 1 %>',
      ],
      ...['=HYPERLINK("http://evil.example")', '[Learn more](javascript:alert(1))', '[client.name]', '{site}'],
    ];
    const audits = Object.fromEntries(
      scripts.map((text, index) => [
        `${text}\u0000\u202e\ud800`,
        { title: text, displayValue: `=${text}`, score: 0, metricSavings: { LCP: 1_000 - index } },
      ]),
    );
    const report = lighthouseReport(50, {
      ...{ audits, lighthouseVersion: scripts[0], finalDisplayedUrl: `https://shop.example/${scripts[1]}` },
    });
    api.nextReplies.push(reportReply(report));
    await auditSite(world, world.siteId(0));
    const { headers, body } = await world.request(
      'GET',
      `/api/v2/perf-audit/results/${world.siteId(0)}?with_opportunities=true`,
    );
    assert.match(String(headers['content-type']), /^application\/json/);
    assert.equal(headers['x-content-type-options'], 'nosniff');
    const { mobile } = body.data;
    assert.deepEqual(
      mobile.opportunities.map(({ id, title }: { id: string; title: string }) => [id, title]),
      scripts.map((text) => [`${text}   `, text]),
    );
    const path = (format: string) =>
      `/api/v2/pro-reports/${world.siteId(0)}/perfaudit?start_date=2026-11-22&end_date=2026-11-22&format=${format}`;
    const page = (await world.agent().get(path('html')).expect(200)).text;
    // A page shows scores only.
    assert.deepEqual(
      ['alert(1)', 'HYPERLINK', '1 + 1'].filter((text) => page.includes(text)),
      [],
    );
    const csv = (await world.agent().get(path('csv')).expect(200)).text;
    assert.doesNotMatch(csv, /(^|,|")\s*=/m);
    assert.match(csv, /'=HYPERLINK/);
  });

  it('when the URL of a site is not allowed, then the API is not called', async () => {
    api.requests.length = 0;
    const { knex } = world.container.database;
    const { url } = await knex('sites')
      .where({ id: world.siteId(0) })
      .first('url');
    for (const address of [
      ...['http://10.0.0.7/', 'http://169.254.169.254/', 'http://[::1]/', 'http://[::ffff:10.0.0.1]/'],
      ...['http://[64:ff9b::a9fe:a9fe]/', 'http://192.168.1.1/', 'http://0x0a000007/', 'http://100.100.100.200/'],
    ]) {
      await knex('sites')
        .where({ id: world.siteId(0) })
        .update({ url: address });
      const { error } = await auditSite(world, world.siteId(0));
      assert.equal(error.code, 'address_refused', address);
    }
    await knex('sites')
      .where({ id: world.siteId(0) })
      .update({ url: 'http://127.0.0.1:25/' });
    assert.equal((await auditSite(world, world.siteId(0))).error.code, 'invalid_url', 'no browser asks a mail server');
    await knex('sites')
      .where({ id: world.siteId(0) })
      .update({ url });
    assert.equal(api.requests.length, 0);
    api.nextReplies.push(scoreReply(91));
    assert.equal((await auditSite(world, world.siteId(0))).state, 'completed');
  });

  it('when the URL of the API is not allowed, then the audit fails with address_refused', async () => {
    const closed = await startWorld({ sites: 1, env: { SITEFLEET_PAGESPEED_URL: 'http://10.0.0.1/' } });
    await usePageSpeedApi(closed, { strategy: 'mobile' });
    const { error } = await auditSite(closed, closed.siteId(0));
    assert.deepEqual([error.code, /PageSpeed API/.test(error.message as string)], ['address_refused', true]);
    await closed.close();
  });
});
