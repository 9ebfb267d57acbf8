import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { exampleRequest, namesIn } from '../../src/contract-checks/index.ts';
import { operationPoliciesOf } from '../../src/http/operation-policy.ts';
import { createClient } from '../support/clients.ts';
import { documentedOperations, type DocumentedOperation } from '../support/documented-operations.ts';
import { ALPHA_FILE, putAlpha } from '../support/packages.ts';
import { addReportSchedule, makeReport } from '../support/report-schedules.ts';
import { createTag } from '../support/tags.ts';
import { createWorkedTask } from '../support/time-tracker.ts';
import { startWorld, type World } from '../support/world.ts';

const MARK = 'Zebra';
const EMAIL = 'zebra@agency.example';
const UNKNOWN_EMAIL = 'nobody@agency.example';
const UNKNOWN_ID = 999_999;

/** References to records that do not exist, by the names of these references in paths and inputs. */
const UNKNOWN_RECORDS: Record<string, readonly (number | string)[]> = {
  id_or_email: [UNKNOWN_ID, UNKNOWN_EMAIL],
  client_id_or_email: [UNKNOWN_ID, UNKNOWN_EMAIL],
  client_id: [UNKNOWN_ID],
  tag_id: [UNKNOWN_ID],
  cost_id: [UNKNOWN_ID],
  job_id: ['sync_none'],
  schedule_id: [UNKNOWN_ID],
  report_id: [UNKNOWN_ID],
  mail_id: [UNKNOWN_ID],
  task_id: [UNKNOWN_ID],
  bucket_id: [UNKNOWN_ID],
  pin_id: [UNKNOWN_ID],
};

const VOLATILE = /^(date|x-request-id|ratelimit.*|content-length|etag)$/;

/** Credentials, modules and settings are cached, and read again after a few seconds by the next call. */
const OF_CACHES = /^select [^(]* from .?(modules|site_limits|settings)\b/;

/** Everything that this fleet has is outside the limit of the caller, except one site without any records. */
describe('a caller that is limited to other sites', () => {
  let world: World;
  let outside: number;
  let token: string;
  let named: Record<string, unknown>;
  const MARKS = [new RegExp(MARK, 'i')];

  before(async () => {
    world = await startWorld({ sites: 2 });
    outside = world.siteId(1);
    const post = async (path: string, body: object) =>
      (await world.request('POST', `/api/v2${path}`, { body })).body.data as { id: number; token: string };
    const client = await createClient(world, `${MARK} client`, { client_email: EMAIL });
    const tag = await createTag(world, `${MARK} tag`);
    const body = { name: `${MARK} site`, client_id: client, groupids: [tag] };
    await world.request('PUT', `/api/v2/sites/${outside}/edit`, { body });
    const [adding] = documentedOperations(({ place }) => place.id === 'costs_add');
    assert.ok(adding);
    const adds = await exampleRequest(adding.contract, adding.place, {
      ...{ name: `${MARK} cost`, clients: [client], sites: [], groups: [tag] },
    });
    const cost = (await world.request('POST', adds.path, { body: adds.body })).body.data.id;
    await world.request('POST', `/api/v2/sites/${outside}/sync`);
    await world.request('POST', '/api/v2/sites/sync', { body: { include: [outside] } });
    const abandoned = { slug: 'zebra/zebra.php', name: `${MARK} plugin`, version: '1.0', last_updated_at: 1 };
    putAlpha(world.site(1));
    await world.request('POST', `/api/v2/sites/${outside}/sync`);
    const pinned = { type: 'plugin', slug: ALPHA_FILE, version: '1.1', websites: [outside] };
    await world.request('POST', '/api/v2/pins', { body: pinned });
    const [pin] = (await world.request('GET', '/api/v2/pins')).body.data;
    const { knex } = world.container.database;
    const { url_key: site_key } = await knex('sites').where({ id: outside }).first('url_key');
    await knex('site_abandoned').insert({ ...abandoned, site_id: outside, kind: 'plugin', site_key });
    const [job] = (await world.request('GET', '/api/v2/jobs?type=sync')).body.data;
    const schedule = await addReportSchedule(world, { site_id: outside, format: 'html' });
    const report = await makeReport(world, schedule.id);
    const { task_id, bucket_id } = await createWorkedTask(world, client, outside);
    for (const [path, title] of [
      [`tasks/${task_id}`, `${MARK} task`],
      [`buckets/${bucket_id}`, `${MARK} bucket`],
    ])
      await world.request('PUT', `/api/v2/time-tracker/${path}/edit`, { body: { title } });
    token = (await post('/rest-api/add-key', { scope: 'read_write', limit: { sites: [world.siteId(0)] } })).token;
    named = {
      ...{ id_or_domain: outside, site_id_or_domain: outside, site_ids_or_domains: [outside], websites: [outside] },
      ...{ include: [outside], exclude: [], site_id: outside, id_or_email: client, client_id_or_email: client },
      ...{ client_id: client, tag_id: tag, cost_id: cost, job_id: job.job_id, schedule_id: schedule.id },
      ...{
        key_id: 1,
        task_id,
        bucket_id,
        report_id: report.id,
        pin_id: pin.id,
        mail_id: report.mails[0].id,
        confirm: true,
        dry_run: false,
        groups: [],
        clients: [],
      },
    };
    MARKS.push(new RegExp(new URL(world.site(1).url).host.replaceAll('.', '\\.')));
  });
  after(() => world.close());

  const addKey = async (limit: object | null): Promise<string> =>
    (await world.request('POST', '/api/v2/rest-api/add-key', { body: { scope: 'read_write', limit } })).body.data.token;

  async function call({ contract, place }: DocumentedOperation, values: Record<string, unknown>, as = token) {
    const { method, path, body, contentType } = await exampleRequest(contract, place, values);
    const headers = { authorization: `Bearer ${as}`, ...(contentType === null ? {} : { 'content-type': contentType }) };
    const answer = await fetch(world.url + path, { method, headers, body });
    const kept = [...answer.headers].filter(([name]) => !VOLATILE.test(name));
    const etag = answer.headers.get('etag');
    return { status: answer.status, headers: kept, etag, text: await answer.text(), path };
  }

  /** Calls with both values. A total that is cached for one of them is cached for both at the next attempt. */
  async function assertEqualCalls(
    operation: DocumentedOperation,
    hidden: Record<string, unknown>,
    unknown: Record<string, unknown>,
  ): Promise<{ status: number; text: string }> {
    const measure = async (values: Record<string, unknown>) => {
      const answers: Awaited<ReturnType<typeof call>>[] = [];
      const statements = await world.statementsOf(async () => answers.push(await call(operation, values)));
      const [{ status, headers, text } = assert.fail()] = answers;
      return { status, headers, text, statements: statements.filter((sql) => !OF_CACHES.test(sql)) };
    };
    for (let attempt = 1; ; attempt++) {
      const [mine, theirs] = [await measure(hidden), await measure(unknown)];
      // Each can have a statement of work that an earlier call has begun.
      if (attempt < 4 && !isDeepStrictEqual(mine, theirs)) continue;
      assert.deepEqual(mine, theirs, operation.place.operation.operationId);
      return mine;
    }
  }

  const operations = documentedOperations();
  const policyOf = ({ contract, place }: DocumentedOperation) =>
    operationPoliciesOf(contract).get(place.operation.operationId);

  it('when an operation names a site outside, then answer and SQL statements are those of a site that does not exist', async () => {
    let asked = 0;
    for (const operation of operations.filter((each) => policyOf(each)?.site && policyOf(each)?.appliesSiteLimit)) {
      const url = world.site(1).url;
      for (const ref of [outside, new URL(url).host, url]) {
        const other = typeof ref === 'number' ? UNKNOWN_ID : 'https://nowhere.example/';
        const { status, text } = await assertEqualCalls(
          operation,
          { ...named, id_or_domain: ref, site_id_or_domain: ref },
          { ...named, id_or_domain: other, site_id_or_domain: other },
        );
        assert.equal(status, 404, `${operation.place.operation.operationId} ${ref}: ${text}`);
        asked++;
      }
    }
    assert.ok(asked > 400, String(asked));
  });

  it('when any operation is called, then nothing of the site outside is answered, called or changed', async () => {
    const requests = world.site(1).requests.length;
    const read = async () => (await world.request('GET', `/api/v2/sites/${outside}?full_data=true`)).body.data;
    const before = await read();
    const allowed: string[] = [];
    for (const operation of operations) {
      const id = operation.place.operation.operationId;
      const { status, headers, text } = await call(operation, named);
      for (const mark of MARKS) assert.doesNotMatch(text + JSON.stringify(headers), mark, `${id}: ${text}`);
      if (!policyOf(operation)?.appliesSiteLimit) {
        assert.equal(status, 403, `${id}: ${text}`);
        assert.equal((JSON.parse(text) as { code: string }).code, 'svc_outside_limits', id);
      } else if (status < 400) allowed.push(id);
    }
    assert.equal(world.site(1).requests.length, requests, 'the site outside was not called');
    assert.deepEqual(await read(), before);
    assert.ok(allowed.includes('sites_list') && allowed.includes('me_get'), allowed.join());
    assert.ok(!allowed.includes('tags_get') && !allowed.includes('clients_get') && !allowed.includes('jobs_get'));
  });

  it('when an operation names no site, then the answer has only sites of the limit', async () => {
    let asked = 0;
    const free = await addKey(null);
    for (const operation of operations.filter((each) => policyOf(each)?.appliesSiteLimit)) {
      const { contract, place } = operation;
      const { method, path, body } = await exampleRequest(contract, place, { ...named, include: [], websites: [] });
      if (place.item['x-ability']?.readonly !== true && method !== 'GET') continue;
      const bare = method === 'GET' ? path.split('?')[0] : path;
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const sent = { method, headers, ...(body === null ? {} : { body: '{"input":{}}' }) };
      // The caches now have the answer for a caller without a limit.
      await fetch(world.url + (bare ?? path), { ...sent, headers: { ...headers, authorization: `Bearer ${free}` } });
      const answer = await fetch(world.url + (bare ?? path), sent);
      const text = await answer.text();
      for (const mark of MARKS) assert.doesNotMatch(text, mark, `${place.operation.operationId}: ${text}`);
      if (answer.ok) asked++;
    }
    assert.ok(asked > 40, String(asked));
  });

  it('when the limit has all sites, then each read answers as without a limit', async () => {
    const body = { scope: 'read_write', limit: { sites: [world.siteId(0), outside] } };
    const { token: all } = (await world.request('POST', '/api/v2/rest-api/add-key', { body })).body.data;
    const free = (await world.request('POST', '/api/v2/rest-api/add-key', { body: { ...body, limit: null } })).body
      .data;
    let asked = 0;
    for (const operation of operations.filter(
      (each) => each.place.verb === 'get' && policyOf(each)?.appliesSiteLimit,
    )) {
      const id = operation.place.operation.operationId;
      // The first answers with the limit itself. No limit contains jobs and changes without sites, and keys of others.
      if (['me_get', 'jobs_list', 'changes_list'].includes(id) || id.startsWith('keys_')) continue;
      const [one, other] = [await call(operation, named, all), await call(operation, named, free.token)];
      assert.deepEqual(
        [one.status, one.headers, timeless(one.text)],
        [other.status, other.headers, timeless(other.text)],
        id,
      );
      if (one.text === other.text) assert.equal(one.etag, other.etag, id);
      asked++;
    }
    assert.ok(asked > 100, String(asked));
  });

  it('when a record is partly outside, then counts, items, errors and replayed answers do not tell', async () => {
    const [inside, shared] = [world.siteId(0), await createTag(world, 'shared', world.siteId(0), outside)];
    const own = await createClient(world, 'Own', { selected_sites: [inside] });
    const { body: synced } = await world.request('POST', '/api/v2/sites/sync', { body: {} });
    const limit = { sites: [inside], clients: [own] };
    const ask = async (key: string, method: string, path: string, body?: object, more: Record<string, string> = {}) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...more };
      const answer = await fetch(world.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
      const text = await answer.text();
      for (const mark of MARKS) assert.doesNotMatch(text, mark, path);
      return { status: answer.status, ...JSON.parse(text) };
    };
    const key = await addKey(limit);
    const tag = await ask(key, 'GET', `/api/v2/tags/${shared}`);
    assert.deepEqual([tag.data.sites_count, tag.data.count_sites], [1, 1]);
    const [job] = (await world.request('GET', '/api/v2/jobs?type=sync')).body.data;
    assert.equal(job.total, 2, JSON.stringify(synced));
    const seen = await ask(key, 'GET', `/api/v2/jobs/${job.job_id}`);
    assert.deepEqual([seen.data.total, seen.items.map((each: { site_id: number }) => each.site_id)], [1, [inside]]);
    const taken = { url: world.site(1).url.toUpperCase(), admin: world.site(1).admin, client_id: own };
    const refused = await ask(key, 'POST', '/api/v2/sites/add', taken);
    assert.deepEqual([refused.status, refused.code, refused.data], [403, 'svc_outside_limits', { status: 403 }]);
    const { data: shrinking } = (
      await world.request('POST', '/api/v2/rest-api/add-key', {
        body: { scope: 'read_write', limit: { tags: [shared] } },
      })
    ).body;
    const again = { 'idempotency-key': 'outside' };
    const sync = (token: string) =>
      fetch(`${world.url}/api/v2/sites/sync`, {
        ...{ method: 'POST', body: '{}' },
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...again },
      });
    assert.match(await (await sync(shrinking.token)).text(), MARKS[1] ?? assert.fail());
    await world.request('PUT', `/api/v2/rest-api/edit-key/${shrinking.id}`, { body: { limit } });
    const replayed = await ask(shrinking.token, 'POST', '/api/v2/sites/sync', {}, again);
    assert.deepEqual([replayed.status, replayed.code], [409, 'svc_idempotency_conflict']);
  });

  it('when a record is known only from sites outside, then answers and SQL statements are those of a record that does not exist', async () => {
    const asked: string[] = [];
    for (const operation of operations.filter((each) => policyOf(each)?.appliesSiteLimit)) {
      const { contract, place } = operation;
      const id = place.operation.operationId;
      const name = [...namesIn(contract, place)].find((each) => each in UNKNOWN_RECORDS);
      if (name === undefined) continue;
      for (const unknown of UNKNOWN_RECORDS[name] ?? []) {
        const hidden: unknown = unknown === UNKNOWN_EMAIL ? EMAIL : named[name];
        const others = { ...named, sites: [], clients: [], groups: [], site_id: undefined };
        const { status, text } = await assertEqualCalls(
          operation,
          { ...others, [name]: hidden },
          { ...others, [name]: unknown },
        );
        if (place.path.includes('{')) assert.equal(status, 404, `${id}: ${text}`);
      }
      asked.push(id);
    }
    assert.ok(asked.length > 90, String(asked.length));
    for (const kind of ['clients', 'tags', 'jobs', 'costs', 'report_schedules', 'reports', 'outbox', 'pins'])
      assert.ok(
        asked.some((id) => id.startsWith(kind)),
        kind,
      );
  });
});

/** Replaces times, which differ between two calls. */
const timeless = (text: string): string =>
  text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'T').replace(/\d{1,2}:\d\d(:\d\d)?( [ap]m)?/g, 'T');
