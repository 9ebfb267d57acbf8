import assert from 'node:assert/strict';
import { operationsOf, type Contract, type LocatedOperation } from '../../src/contract/index.ts';
import { readContract } from '../../src/surfaces/generated-files.ts';
import { createClient } from '../support/clients.ts';
import { exampleRequest, type ExampleRequest } from '../../src/contract-checks/index.ts';
import { startWorld, type World } from '../support/world.ts';

// Runs on SQLite only: the test is about the translation of requests and responses.

/** Sends the same calls to both paths, each with its own world, and compares responses and final state. */
describe('plain paths and compatibility mount', function () {
  // About 650 calls in sequence, possibly on a busy machine.
  this.timeout(300_000);
  let plain: World;
  let mounted: World;
  before(async () => {
    [plain, mounted] = await Promise.all([startWorld({ sites: 4, connect: 3 }), startWorld({ sites: 4, connect: 3 })]);
    for (const world of [plain, mounted]) await createRecords(world);
  });
  after(() => Promise.all([plain.close(), mounted.close()]));

  it('when 300 documented calls are sent to both, then both have the same responses and effects', async () => {
    const calls = (['abilities', 'v2'] as const).flatMap((surface) => {
      const contract = readContract(surface);
      return operationsOf(contract)
        .filter(({ id }) => !EXCLUDED_OPERATIONS.test(id))
        .map((place) => ({ contract, place }));
    });
    calls.sort((left, right) => runOrderOf(left.place) - runOrderOf(right.place));
    assert.ok(calls.length >= 300, `${calls.length} calls`);
    const succeeded = new Set<string>();
    const problems: string[] = [];
    for (const { contract, place } of calls) {
      const [request, twin] = await Promise.all([example(plain, contract, place), example(mounted, contract, place)]);
      const [left, right] = await Promise.all([send(plain, request), send(mounted, compatRequest(twin))]);
      // The next call meets the same state in both.
      await Promise.all([finishedJobs(plain, left), finishedJobs(mounted, right)]);
      const problem = problemOf(place.id, left, right);
      if (problem) problems.push(`${place.id} (${request.method} ${request.path}): ${problem}`);
      if (left.status < 300) succeeded.add(place.id);
    }
    assert.deepEqual(problems, []);
    assert.ok(succeeded.size >= 150, `${succeeded.size} operations went well`);
    assert.deepEqual(await stateOf(mounted), await stateOf(plain));
  });
});

/** Returns the difference between two responses, or null. */
function problemOf(id: string, left: ReceivedResponse, right: ReceivedResponse): string | null {
  try {
    assert.equal(right.status, STATUSES[left.body?.code as string] ?? left.status);
    if (left.status >= 400) sameRefusal(left.body, right.body);
    else assertContains(normalizedBody(right.body), normalizedBody(left.body), CHANGED[id] ?? []);
    return null;
  } catch (error) {
    const bodies = [left, right].map(({ body }) => JSON.stringify(body).slice(0, 400));
    return `${(error as Error).message}\n${bodies.join('\n')}`;
  }
}

/** Reads come first, then changes, then deletions. */
const runOrderOf = ({ verb, id, item }: LocatedOperation): number =>
  /remove|delete|disconnect|cancel/.test(id) ? 3 : verb === 'get' || item['x-ability']?.readonly ? 0 : 1;

/** Operations with random responses (secrets, running jobs), that disable a module, or that run long on all sites. */
const EXCLUDED_OPERATIONS =
  /^(metrics|.*_preview$|reports_file|jobs_|schedules_run|modules_edit|perf_audit_run|vulnerabilities|get-batch-job)/;

/** Values of records for the parameters of examples. */
const named = (world: World): Record<string, unknown> => {
  const site = world.siteId(0);
  return {
    site_id_or_domain: site,
    id_or_domain: site,
    site_ids_or_domains: [site, world.siteId(1)],
    include: [site],
    websites: [site],
    site_id: site,
    selected_sites: [world.siteId(1)],
    tag_id: 1,
    tag_ids: [1],
    groupids: [1],
    client_id: 1,
    client_id_or_email: 1,
    id_or_email: 1,
    cost_id: 1,
    url: world.site(3).url,
    admin: world.site(3).admin,
    admin_password: world.site(3).adminPassword,
    adminpassword: world.site(3).adminPassword,
  };
};

const example = (world: World, contract: Contract, place: LocatedOperation): Promise<ExampleRequest> => {
  const { client_id: client, include, site_id: site, ...names } = named(world);
  const replaced = /^(sites|updates)_/.test(place.id) ? { ...names, include } : names;
  return exampleRequest(contract, place, {
    ...replaced,
    ...(place.id.includes('-v1') ? { client_id: client } : { site_id: site }),
  });
};

async function createRecords(world: World): Promise<void> {
  await world.ability('add-tag-v1', { name: 'Furnished' });
  await createClient(world, 'Furnished', { client_email: 'furnished@example.com', selected_sites: [world.siteId(0)] });
  await world.request('POST', '/api/v2/costs/add', {
    body: { name: 'Hosting', price: 10, sites: [world.siteId(0)], last_renewal: '2026-11-01' },
  });
}

/** Names of the established product, written by hand and not taken from the table. */
const RENAMED: Record<string, Record<string, string>> = {
  'activate-site-plugins-v1': { slugs: 'plugins' },
  'deactivate-site-plugins-v1': { slugs: 'plugins' },
  'delete-site-plugins-v1': { slugs: 'plugins' },
  'delete-site-themes-v1': { slugs: 'themes' },
  'activate-site-theme-v1': { slug: 'theme' },
  'add-site-v1': { admin: 'admin_username', admin_password: 'adminpassword', unique_id: 'uniqueid', tags: 'tag_ids' },
  'update-site-v1': { tags: 'tag_ids' },
};

function compatRequest({ method, path, contentType, body }: ExampleRequest): ExampleRequest {
  const ability = /^\/abilities\/v1\/svc\/([^/]+)\/run/.exec(path)?.[1] ?? '';
  const renamed = RENAMED[ability];
  const moved = path
    .replace(/^\/abilities\/v1\/svc\//, '/wp-json/wp-abilities/v1/abilities/mainwp/')
    .replace(/^\/abilities\/v1\/categories/, '/wp-json/wp-abilities/v1/categories')
    .replace(/^\/abilities\/v1/, '/wp-json/wp-abilities/v1/abilities')
    .replace(/^\/api\/v2/, '/wp-json/mainwp/v2')
    .replace('non-svc', 'non-mainwp')
    .replace(/\/(update|ignore)\/core/, '/$1/wp')
    .replace('/v2/perf-audit/', '/v2/lighthouse/')
    .replace('svc-', 'mainwp-');
  if (body === null || contentType !== 'application/json') return { method, path: moved, contentType, body };
  const text = body
    .replaceAll('"svc_', '"mainwp_')
    .replaceAll('non_svc', 'non_mainwp')
    .replaceAll('"chat_widget"', '"chatbase"');
  const { input, ...rest } = JSON.parse(text) as { input?: Record<string, unknown> };
  const spelled =
    input && Object.fromEntries(Object.entries(input).map(([name, value]) => [renamed?.[name] ?? name, value]));
  return {
    method,
    path: moved,
    contentType,
    body: JSON.stringify(spelled ? { ...rest, input: spelled } : JSON.parse(text)),
  };
}

interface ReceivedResponse {
  status: number;
  body: Body;
}

async function send(world: World, { method, path, contentType, body }: ExampleRequest): Promise<ReceivedResponse> {
  const headers = contentType === null ? {} : { 'content-type': contentType };
  const agent = world.agent();
  const answer = await agent[method.toLowerCase() as 'get'](path)
    .set(headers)
    .send(body ?? undefined);
  return { status: answer.status, body: answer.body };
}

/** Waits for the jobs that a response names. */
async function finishedJobs(world: World, { body }: ReceivedResponse): Promise<void> {
  const names = JSON.stringify(body ?? null).match(/"[a-z-]+_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"/g) ?? [];
  const ids = [...new Set(names.map((name) => JSON.parse(name) as string))];
  for (const id of ids) if ((await world.agent().get(`/api/v2/jobs/${id}`)).status === 200) await world.finishedJob(id);
}

// The bodies differ by operation. They are only compared.
// oxlint-disable-next-line typescript/no-explicit-any
type Body = any;

/** Error codes with another status on the mount. */
const STATUSES: Record<string, number> = { rest_invalid_method: 404 };

/** Error codes with another name on the mount. */
const CODES: Record<string, RegExp> = {
  svc_site_not_found: /^mainwp_(site_not_found|rest_invalid_site_(id|data))$/,
  svc_client_not_found: /^mainwp_(client_not_found|rest_invalid_client_(id|data))$/,
  svc_tag_not_found: /^mainwp_(tag_not_found|rest_invalid_tag_id)$/,
  svc_cost_not_found: /^mainwp_rest_invalid_costs_id$/,
};

function sameRefusal(left: Body, right: Body): void {
  const { code } = left as { code: string };
  assert.match(right.code as string, CODES[code] ?? new RegExp(`^${code.replace(/^svc_/, 'mainwp_')}$`));
  assert.equal(right.data.status, left.data.status);
  assert.equal(right.data.errors?.length, left.data.errors?.length);
}

/** Fields with another structure on the mount, by operation. The client tests check them. */
const CHANGED: Record<string, readonly string[]> = {
  'activate-site-plugins-v1': ['activated'],
  'deactivate-site-plugins-v1': ['deactivated'],
  'delete-site-plugins-v1': ['deleted'],
  'delete-site-themes-v1': ['deleted'],
  'activate-site-theme-v1': ['activated'],
  'get-site-security-v1': ['security_issues'],
  'get-sites-basic-v1': ['sites'],
  'get-site-costs-v1': ['total'],
  'get-client-costs-v1': ['total'],
  'get-site-changes-v1': ['per_page'],
  'get-client-sites-v1': ['per_page'],
  'get-abandoned-plugins-v1': ['per_page'],
  'get-abandoned-themes-v1': ['per_page'],
  'list-ignored-updates-v1': ['per_page'],
  'update-site-core-v1': ['updated'],
  'update-all-v1': ['updated'],
  'suspend-client-v1': ['suspended'],
  'delete-tag-v1': ['would_affect'],
  abilities_list: ['input_schema', 'output_schema'],
  abilities_get: ['input_schema', 'output_schema'],
};

/** Returns a response with renamed fields, without random values, times and machine data. */
function normalizedBody(body: unknown): unknown {
  const text = JSON.stringify(body ?? null)
    .replaceAll('/wp-json/mainwp/v2', '/api/v2')
    .replaceAll('/wp-json/wp-abilities/v1/abilities', '/abilities/v1')
    .replaceAll('/wp-json/wp-abilities/v1', '/abilities/v1')
    .replaceAll('mainwp/', 'svc/')
    .replaceAll('mainwp_', 'svc_')
    .replaceAll('mainwp-', 'svc-')
    .replaceAll('"chatbase"', '"chat_widget"')
    .replaceAll('"wp_upgrades"', '"core_upgrades"')
    .replaceAll('"lighthouse_noti_email"', '"perf_audit_noti_email"')
    .replace(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, '<time>')
    .replace(/127\.\d+\.\d+\.\d+:\d+/g, '<address>')
    .replace(/127\.0\.0\.1(:|%3A)\d+/g, '<service>')
    .replace(/\*[\w-]{7}\b/g, '<key>')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uuid>');
  return withoutRandomValues(JSON.parse(text));
}

const CHANCE = new RegExp(
  `(_ms|_unix|^next_run.*)$|^(${[
    ...['port', 'token', 'truncated_key', 'created', 'seconds', 'elapsed_seconds', 'modified', 'dts', 'due_in'],
    ...['destroy_id', 'renew_id', 'disconnect_id', 'run_id'],
  ].join('|')})$`,
);

function withoutRandomValues(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutRandomValues);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      CHANCE.test(name) && typeof each !== 'object' ? '<chance>' : withoutRandomValues(each),
    ]),
  );
}

/** Checks that the response of the mount contains the plain response. It may have more fields. */
function assertContains(more: unknown, less: unknown, changed: readonly string[]): void {
  if (Array.isArray(less)) {
    assert.ok(Array.isArray(more) && more.length === less.length);
    less.forEach((each, at) => assertContains((more as unknown[])[at], each, changed));
  } else if (typeof less === 'object' && less !== null) {
    assert.ok(typeof more === 'object' && more !== null);
    for (const [name, each] of Object.entries(less))
      if (!changed.includes(name)) assertContains((more as Record<string, unknown>)[name], each, changed);
  } else assert.deepEqual(more, less);
}

/** Returns the records, settings and change log of a world. */
async function stateOf(world: World): Promise<unknown> {
  const paths = [
    ...['sites?full_data=1&per_page=500', 'clients?full_data=1&per_page=500', 'tags?full_data=1&per_page=500'],
    ...['costs?per_page=500', 'updates/ignored?per_page=500', 'clients/fields', 'modules', 'monitors/basic'],
    ...['time-tracker', 'time-tracker/buckets', 'report-schedules', 'rest-api/keys'],
    ...['general', 'advanced', 'monitoring', 'emails', 'tools', 'cost-tracker', 'api-backups', 'ssl-monitor'].map(
      (group) => `settings/${group}`,
    ),
  ];
  const state = await Promise.all(
    paths.map(async (path) => normalizedBody((await world.request('GET', `/api/v2/${path}`)).body)),
  );
  const { body } = await world.request(
    'GET',
    '/api/v2/changes?source=dashboard&per_page=500&_fields=type,description,key',
  );
  // The sites of a job are done at the same time, so the order of their entries differs.
  const changes = (normalizedBody(body.data) as Body[]).map(({ id: _id, ...each }) => JSON.stringify(each)).sort();
  return { state, changes };
}
