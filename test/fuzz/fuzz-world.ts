import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { SETTINGS } from '../../generated/settings.ts';
import type { SimulatedSite } from '../../src/sandbox/index.ts';
import { newUser } from '../../src/sandbox/state/generate-content.ts';
import { checkResponse } from '../support/contract-check.ts';
import { addReportSchedule, makeReport } from '../support/report-schedules.ts';
import { addReportTemplate } from '../support/report-templates.ts';
import { exposeSites } from '../support/vulnerabilities.ts';
import { createClient } from '../support/clients.ts';
import { HOSTING_COST } from '../support/costs.ts';
import { createWorkedTask } from '../support/time-tracker.ts';
import { addRole } from '../support/roles.ts';
import { startWorld, type World } from '../support/world.ts';
import { setNextHostileFault } from './hostile-site.ts';
import { allRequests, curlOf, type CallerKind, type FuzzRequest, type OperationRequests } from './requests.ts';
import type { Hints } from './schemas.ts';

/** Number of sites. The third last sends hostile responses, and the last two are not added yet. */
const SITES = 7;
const MANAGED = 5;
const HOSTILE_SITE = MANAGED - 1;
const RECORDS = 4;
/** Number of users with credentials: those of the world, and the fuzzer. */
const CALLERS = 3;
const FUZZED_ROLES = ['fuzzed-one', 'fuzzed-two'];
const HANGS_AFTER_MS = 60_000;
/** Settings groups that can delay all calls to sites by up to five seconds. */
const SLOWING_SETTINGS_GROUPS = ['advanced', 'general', 'monitoring'] as const;
const PLAIN_ROUNDS = 12;
const RESTORE_INTERVAL = 250;
/** Requests for files, whose responses are not JSON. */
const FILE_FORMAT_QUERY = /[?&]format=(csv|html|pdf)\b/;

export interface FuzzReport {
  requests: number;
  /** Number of responses by operation and status. */
  statuses: Map<string, Map<number, number>>;
  operations: string[];
  seconds: number;
}

/** Returns IDs of clients and tags that may exist, by field names. */
function recordHints(): Hints {
  const id = fc.integer({ min: 1, max: RECORDS });
  const ref = fc.oneof(
    id,
    id.map((number) => `client${number}@example.com`),
  );
  return {
    client_id: id,
    tag_id: id,
    tags: fc.uniqueArray(id, { maxLength: 3 }),
    tag_ids: fc.uniqueArray(id, { maxLength: 3 }),
    client_id_or_email: ref,
    email: id.map((number) => `client${number}@example.com`),
    client_email: id.map((number) => `client${number}@example.com`),
    id_or_email: ref,
    id_or_name: id,
    cost_id: id,
    task_id: id,
    bucket_id: id,
    schedule_id: fc.integer({ min: 1, max: 3 * RECORDS }),
    report_id: fc.integer({ min: 1, max: 3 * RECORDS }),
    default_bucket_id: id,
    key_id: fc.integer({ min: 1, max: 3 }),
    // The first users call the service, and must be able to.
    service_user_id: fc.integer({ min: CALLERS + 1, max: CALLERS + RECORDS }),
    role_name: fc.constantFrom(...FUZZED_ROLES, 'viewer'),
    include: fc.uniqueArray(id, { maxLength: 3 }),
    exclude: fc.uniqueArray(id, { maxLength: 3 }),
    groups: fc.array(id.map(String), { maxLength: 2 }),
    clients: fc.array(id.map(String), { maxLength: 2 }),
  };
}

/** Texts with a format that random values would not have. */
const TEXT_HINTS: Hints = Object.fromEntries([
  ...[
    'client_facebook',
    'client_twitter',
    'client_instagram',
    'client_linkedin',
    'post_featured_image',
    'user_url',
  ].map((name) => [name, fc.constantFrom('https://example.com/a.png', '')]),
  ...['post_date', 'post_date_gmt'].map((name) => [name, fc.constant('2026-11-20 10:00:00')]),
  ...['dtsstart', 'dtsstop'].map((name) => [name, fc.constantFrom('2026-11-01', '2026-11-21')]),
  ['password', fc.constant('a-Password-of-24-letters')],
  ...['last_renewal', 'task_date', 'period_start', 'date_from', 'date_to'].map((name) => [
    name,
    fc.constant('2026-11-01'),
  ]),
  ['start_date', fc.constant('2026-11-01')],
  ['end_date', fc.constantFrom('2026-11-01', '2026-11-21')],
  ['currency', fc.constantFrom('EUR', 'JPY')],
  ['custom_fields', fc.constant({})],
  ['post_custom', fc.constantFrom({}, { key: 'value' })],
  ['_fields', fc.constant(['id'])],
]) as Hints;

/** Restores the administrator of a site with the password of the fleet. */
function restoreAdmin({ state, admin, adminPassword }: SimulatedSite): void {
  const known = state.users.find(({ login }) => login === admin);
  const id = known?.id ?? state.nextId.user++;
  const role = 'administrator';
  const email = `${admin}@example.com`;
  const fresh = newUser({ id, login: admin, email, role, registered: 0, password: adminPassword });
  state.users = [
    ...state.users.filter((user) => user !== known),
    { ...fresh, ...known, role, password: adminPassword },
  ];
}

const addingField = (field: object): FuzzRequest => ({
  operation: 'clients_fields_add',
  method: 'POST',
  path: '/api/v2/clients/fields/add',
  caller: 'admin',
  contentType: 'application/json',
  body: JSON.stringify(field),
  headers: {},
});

/** A world that receives random requests. The fleet is repaired from time to time. */
export class FuzzWorld {
  readonly #world: World;
  readonly #authorizations: Record<CallerKind, string | null>;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 4 });
  readonly #statuses = new Map<string, Map<number, number>>();
  readonly #jobIds: string[];
  /** Run IDs of the tools that end sessions, renew keys and disconnect sites. */
  readonly #runs: readonly [string, string, string];
  readonly #settings: Record<(typeof SLOWING_SETTINGS_GROUPS)[number], unknown>;
  #linesRead = 0;
  #requests = 0;

  private constructor(
    world: World,
    authorizations: Record<CallerKind, string | null>,
    jobIds: string[],
    runs: readonly [string, string, string],
  ) {
    this.#world = world;
    this.#authorizations = authorizations;
    this.#jobIds = jobIds;
    this.#runs = runs;
    const { settings } = world.container.services.settings;
    this.#settings = {
      advanced: settings.current('advanced'),
      general: settings.current('general'),
      monitoring: settings.current('monitoring'),
    };
  }

  /** The test checks responses itself. `refuse` also checks them in the service, which needs a minute to start. */
  static async start(responseChecks: 'off' | 'refuse' = 'off'): Promise<FuzzWorld> {
    const second = { connectMs: 1_000, readMs: 3_000, updateMs: 3_000, checkMs: 3_000 };
    const env = { SITEFLEET_RESPONSE_CHECKS: responseChecks };
    const world = await startWorld({ sites: SITES, connect: MANAGED, env, overrides: { deadlines: second } });
    const { access } = world.container.services.access;
    const { id } = await access.createUser({ name: 'fuzzer', role: 'administrator' }, 'test');
    const { password } = await access.addPassword(id, 'test', 'test');
    const key = await access.keys.create({ userId: id, label: 'reader', scope: 'read', expiresAt: null }, 'test');
    const authorizations = {
      admin: `Basic ${Buffer.from(`fuzzer:${password}`).toString('base64')}`,
      reader: `Bearer ${key.secret}`,
      nobody: null,
      stranger: `Basic ${Buffer.from('fuzzer:not-this-one').toString('base64')}`,
      garbled: 'Basic \u00ff\u00fe====',
    };
    for (const name of ['sync-sites-v1', 'check-sites-v1']) await world.ability(name);
    const runOf = async (tool: string, idName: string): Promise<string> =>
      (await world.request('POST', `/api/v2/settings/tools/${tool}`)).body[idName];
    const runs: [string, string, string] = [
      await runOf('destroy-sessions', 'destroy_id'),
      await runOf('renew-connections', 'renew_id'),
      await runOf('disconnect-all-sites', 'disconnect_id'),
    ];
    for (const run of runs) await world.finishedJob(run);
    const client = await createClient(world, 'Worked for');
    for (let made = 0; made < RECORDS; made++) await createWorkedTask(world, client);
    await world.request('PUT', `/api/v2/sites/${world.siteId(0)}/edit`, { body: { client_id: client } });
    await addReportTemplate(world);
    for (let made = 0; made < RECORDS; made++)
      await makeReport(world, (await addReportSchedule(world, { client_id: client })).id);
    for (const name of FUZZED_ROLES) await addRole(world, ['tags:read'], name);
    for (let made = 0; made < RECORDS; made++)
      await access.createUser({ name: `Fuzzed ${made}`, role: 'viewer' }, 'test');
    await world.request('POST', '/api/v2/schedules/daily-digest/run');
    await exposeSites(world);
    const jobs = (await world.request('GET', '/api/v2/jobs')).body.data as { job_id: string }[];
    return new FuzzWorld(
      world,
      authorizations,
      jobs.map((job) => job.job_id),
      runs,
    );
  }

  get hints(): Hints {
    const { sites } = this.#world.fleet;
    const url = fc.constantFrom(...sites.map((site) => site.url));
    const id = fc.integer({ min: 1, max: MANAGED * 4 });
    const slug = fc.constantFrom(
      ...new Set(sites.flatMap((site) => [...site.state.plugins.keys(), ...site.state.themes.keys()])),
    );
    const ref = fc.oneof(
      url,
      id,
      url.map((text) => new URL(text).host),
    );
    return {
      site_id_or_domain: ref,
      id_or_domain: ref,
      site_ids_or_domains: fc.array(ref, { maxLength: 4 }),
      url,
      admin: fc.constantFrom('admin', 'nobody'),
      admin_password: fc.constantFrom(...sites.map((site) => site.adminPassword), 'wrong'),
      slug,
      slugs: fc.uniqueArray(slug, { minLength: 1, maxLength: 3 }),
      adminpassword: fc.constantFrom(...sites.map((site) => site.adminPassword)),
      ...recordHints(),
      ...TEXT_HINTS,
      sites: fc.uniqueArray(fc.integer({ min: 1, max: MANAGED }), { minLength: 1, maxLength: 2 }),
      selected_sites: fc.uniqueArray(fc.integer({ min: 1, max: MANAGED }), { maxLength: 2 }),
      post_id: fc.integer({ min: 1, max: 8 }),
      page_id: fc.integer({ min: 1, max: 8 }),
      user_id: fc.integer({ min: 1, max: 6 }),
      websites: fc.array(ref, { maxLength: 3 }),
      id_comment: fc.integer({ min: 1, max: 8 }),
      comment_ids: fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 4 }),
      job_id: fc.constantFrom(...this.#jobIds),
      destroy_id: fc.constant(this.#runs[0]),
      renew_id: fc.constant(this.#runs[1]),
      disconnect_id: fc.constant(this.#runs[2]),
      mail_id: fc.integer({ min: 1, max: 2 }),
      vulnerability_id: fc.integer({ min: 1, max: 2 }),
      fix_id: fc.integer({ min: 1, max: 2 }),
      package_id: fc.integer({ min: 1, max: 2 }),
      'path:name': fc.constantFrom('list-sites-v1', 'delete-site-v1', 'sync-sites-v1', 'retention', 'daily-digest'),
      'path:slug': fc.constantFrom(
        'svc-sites',
        'svc-batch',
        'logs',
        'cost-tracker',
        'comments',
        'plugin',
        'cash',
        'vultr',
      ),
      // The first one can be edited, and the others come with the product.
      template_key: fc.constantFrom('our-care-plan', 'care-plan', 'executive'),
      product_type: fc.constantFrom('plugin', 'hosting', 'other'),
      payment_method: fc.constantFrom('cash', 'paypal'),
    };
  }

  /** Sends this number of requests. Throws with the smallest failing one as a curl command. */
  async run(requests: number, seed: number): Promise<FuzzReport> {
    const all = allRequests(this.hints);
    const startedAt = performance.now();
    await this.#check(fc.oneof(...all.map(({ any }) => any)), requests, seed);
    return this.#report(all, startedAt);
  }

  /** Like `run`, with one request of each kind per operation, and then plain ones for operations without a success. */
  async runEachKind(seed: number): Promise<FuzzReport> {
    const all = allRequests(this.hints);
    const startedAt = performance.now();
    const ofEachKind = all.flatMap((each) => each.ofEachKind);
    const shuffled = fc.shuffledSubarray(ofEachKind, { minLength: ofEachKind.length });
    const [ordered = []] = fc.sample(shuffled, { numRuns: 1, seed });
    for (const request of ordered) await this.#check(request, 1, seed + this.#requests);
    for (let round = 0; round < PLAIN_ROUNDS; round++)
      for (const { id, plain } of all)
        if (!this.#statuses.get(id)?.has(200)) await this.#check(plain, 1, seed + this.#requests);
    return this.#report(all, startedAt);
  }

  async #check(request: fc.Arbitrary<FuzzRequest>, requests: number, seed: number): Promise<void> {
    const outcome = await fc.check(
      fc.asyncProperty(request, (each) => this.#throw(each)),
      { numRuns: requests, seed, verbose: 0 },
    );
    if (!outcome.failed) return;
    const [smallest] = outcome.counterexample ?? [];
    const error = outcome.errorInstance;
    throw new Error(
      [
        `After ${this.#requests} requests (seed ${seed}, path ${outcome.counterexamplePath}):`,
        smallest ? `${smallest.operation}\n${curlOf(smallest)}` : 'no request could be made',
        error instanceof Error ? error.message : String(error),
      ].join('\n'),
      { cause: error },
    );
  }

  async #report(all: OperationRequests[], startedAt: number): Promise<FuzzReport> {
    await this.#world.request('GET', '/healthz');
    const seconds = (performance.now() - startedAt) / 1000;
    const operations = all.map(({ id }) => id);
    return { requests: this.#requests, statuses: this.#statuses, operations, seconds };
  }

  async #throw(request: FuzzRequest): Promise<void> {
    if (changesCaller(request)) return;
    if (this.#requests % RESTORE_INTERVAL === 0) await this.#heal();
    this.#requests += 1;
    setNextHostileFault(this.#world.site(HOSTILE_SITE));
    const { status, text, json } = await this.#send(request);
    // Read after each request, so that an error is not reported for a later request.
    const news = this.#world.logLines.slice(this.#linesRead);
    this.#linesRead = this.#world.logLines.length;
    assert.notEqual(status, 500, `${text}\n${news.join('')}`);
    assert.deepEqual(
      news.filter((line) => /"level":"(error|fatal)"/.test(line)),
      [],
    );
    const path = request.path.split('?')[0] ?? '';
    if (request.method !== 'HEAD' && request.method !== 'OPTIONS') {
      if (!(status === 200 && FILE_FORMAT_QUERY.test(request.path)))
        checkResponse(request.method, request.path, status, json);
      this.#count(request.operation, status);
    }
    if (/\/settings(\/|$)/.test(path) && request.method !== 'GET') await this.#resetSettings();
    if (path.endsWith('/disconnect-all-sites') && status === 200) await this.#heal();
  }

  async #send({
    method,
    path,
    caller,
    contentType,
    body,
    headers,
  }: FuzzRequest): Promise<{ status: number; text: string; json: unknown }> {
    const authorization = this.#authorizations[caller];
    const request = httpRequest(this.#world.url, {
      method,
      path,
      agent: this.#agent,
      signal: AbortSignal.timeout(HANGS_AFTER_MS),
      headers: {
        ...headers,
        ...(authorization === null ? {} : { authorization }),
        ...(contentType === null ? {} : { 'content-type': contentType }),
        // Node.js sends a DELETE or OPTIONS body without a length, so the server would read it as the next request.
        ...(body === null ? {} : { 'content-length': Buffer.byteLength(body) }),
      },
    });
    request.end(body ?? undefined);
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    const isJson = answer.headers['content-type']?.includes('json') === true && text !== '';
    return { status: answer.statusCode ?? 0, text, json: isJson ? JSON.parse(text) : text };
  }

  #count(operation: string, status: number): void {
    const counts = this.#statuses.get(operation) ?? new Map<number, number>();
    this.#statuses.set(operation, counts.set(status, (counts.get(status) ?? 0) + 1));
  }

  /** Restores the settings of a new service where they were changed. */
  async #resetSettings(): Promise<void> {
    const { settings } = this.#world.container.services.settings;
    for (const group of SLOWING_SETTINGS_GROUPS) {
      if (isDeepStrictEqual(await settings.read(group), this.#settings[group])) continue;
      const body = Object.fromEntries(Object.keys(SETTINGS[group].fields).map((name) => [name, null]));
      await this.#world.request('PUT', `/api/v2/settings/${group}/edit`, { body });
    }
  }

  /** Connects all sites, ends suspensions and enables all modules. */
  async #heal(): Promise<void> {
    const world = this.#world;
    await this.#resetSettings();
    const modules = (await world.request('GET', '/api/v2/modules')).body.data as { slug: string; active: boolean }[];
    for (const { slug } of modules.filter(({ active }) => !active))
      await world.request('PUT', `/api/v2/modules/${slug}`, { body: { active: true } });
    await this.#fillRecords();
    let reported = 0;
    for (const [index, site] of world.fleet.sites.entries()) {
      site.fault = null;
      site.performWpAdminAction({ do: 'activate-child' });
      const known = (await world.ability('get-sites-basic-v1')).sites as { id: number; url: string }[];
      const found = known.find(({ url }) => url === site.url);
      if (found) await world.container.services.sites.sites.delete(found.id, 'test');
      site.performWpAdminAction({ do: 'activate-child' });
      site.loseKey();
      site.state.uniqueId = '';
      restoreAdmin(site);
      if (index >= MANAGED) continue;
      const { id } = await world.container.services.sites.sites.add(
        { url: site.url, admin: site.admin, password: site.adminPassword },
        'test',
      );
      reported = id;
    }
    await makeReport(world, (await addReportSchedule(world, { site_id: reported })).id);
  }

  /** Creates records through the services of the domains. A record of the same name may exist already. */
  async #fillRecords(): Promise<void> {
    const {
      clients: { clients },
      tags: { tags },
    } = this.#world.container.services;
    for (let number = 1; number <= RECORDS; number += 1) {
      const taken = (): void => undefined;
      await addReportTemplate(this.#world).catch(taken);
      await clients.create({ name: `Client ${number}`, email: `client${number}@example.com` }, 'test').catch(taken);
      await tags.create({ name: `Tag ${number}` }, 'test').catch(taken);
      const [client = 1] = await this.#world.container.database.knex('clients').limit(1).pluck<number[]>('id');
      const body = { ...HOSTING_COST, name: `Cost ${number}`, clients: [client] };
      await this.#world.request('POST', '/api/v2/costs/add', { body });
      const field = { name: `Field ${number}`, description: 'Of the fuzz test.' };
      const { status } = await this.#send(addingField(field));
      assert.ok([200, 409].includes(status));
    }
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    await this.#world.close();
  }
}

/** Some kinds of requests take any ID. None may delete a user that calls, or revoke its passwords. */
function changesCaller({ method, path }: FuzzRequest): boolean {
  const [, id] = /\/rest-api\/users\/(\d+)\//.exec(path) ?? [];
  return method !== 'GET' && id !== undefined && Number(id) <= CALLERS;
}
