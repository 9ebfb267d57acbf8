import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LocatedOperation } from '../../../src/contract/index.ts';
import { adminPasswordOf, generateSite } from '../../../src/sandbox/state/generate.ts';
import type { BenchService } from '../processes.ts';
import * as scale from './scale.ts';
import { isSuccess, send } from './service-calls.ts';

type Values = Record<string, unknown>;

interface FixtureContext {
  service: BenchService;
  place: Pick<LocatedOperation, 'path' | 'verb'>;
  /** Site that no other call of the round uses. */
  site: number;
  /** Name that no other record has. */
  mark: string;
}

type Fixture = (context: FixtureContext) => Promise<Values>;

async function call({ service }: FixtureContext, method: string, path: string, body?: object): Promise<unknown> {
  const text = body && JSON.stringify(body);
  const reply = await send(service, { method, path: `/api/v2${path}`, body: text });
  if (!isSuccess(reply)) throw new Error(`${method} ${path}: ${JSON.stringify(reply.json)}`);
  return reply.json?.['data'];
}

const add = async (context: FixtureContext, path: string, body: object): Promise<Values> =>
  (await call(context, 'POST', path, body)) as Values;

/** Returns a fixture that adds a record with the name, and takes a field of the response as a value. */
const added =
  (value: string, field: string, path: string, bodyOf: (context: FixtureContext) => object): Fixture =>
  async (context) => ({ [value]: (await add(context, path, bodyOf(context)))[field] });

/** Returns a fixture that adds an entry of a map, whose key is the value. */
const addedKey =
  (value: string, path: string): Fixture =>
  async (context) => ({ [value]: Object.keys(await add(context, path, { title: `Title ${context.mark}` }))[0] });

/** Returns a fixture that takes a field of an item of a list, which may be grouped by site. Default: the first one. */
const itemOf =
  (value: string, path: string, field: string, place = 0): Fixture =>
  async (context) => {
    const list = (await call(context, 'GET', path.replace('SITE', String(context.site)))) ?? [];
    const item = (Object.values(list).flat() as Values[]).at(place);
    return item ? { [value]: item[field] } : {};
  };

const addSchedule = added('schedule_id', 'id', '/report-schedules/add', ({ mark, site }) => ({
  ...{ name: `Schedule ${mark}`, site_id: site, frequency: 'monthly', day: 1, time: '8:00' },
  recipients: ['ann@example.com'],
}));

async function startTask(context: FixtureContext): Promise<Values> {
  const { id } = await add(context, '/time-tracker/tasks/add', {
    ...{ title: `Task ${context.mark}`, client_id: scale.BUSY_CLIENT },
  });
  await call(context, 'POST', `/time-tracker/tasks/${String(id)}/start?switch=1`);
  return { task_id: id };
}

/** Makes a report of the busy site, which no call suspends. A report that is held waits for its release. */
async function makeReport(context: FixtureContext): Promise<Values> {
  const { mark, place } = context;
  const { id: schedule } = await add(context, '/report-schedules/add', {
    ...{ name: `Report ${mark}`, site_id: scale.BUSY_SITE, frequency: 'weekly' },
    format: place.path.endsWith('/file') ? 'pdf' : 'html',
    ...{ recipients: ['ann@example.com'], hold_first_report: /\/(release|discard)$/.test(place.path) },
  });
  const { id } = await add(context, `/report-schedules/${String(schedule)}/run`, {});
  for (;;) {
    const report = (await call(context, 'GET', `/reports/${String(id)}`)) as Values;
    if (report['status'] !== 'queued') return { report_id: id };
    await sleep(50);
  }
}

/** Returns a job of all sites that can be canceled. */
async function startLargeJob({ service, place }: FixtureContext): Promise<Values> {
  if (place.verb !== 'delete') return {};
  const { json } = await send(service, { method: 'POST', path: '/api/v2/sites/sync' });
  return { job_id: (json?.['data'] as Values | undefined)?.['job_id'] ?? json?.['job_id'] };
}

/** Default seed of a simulated fleet. */
const FLEET_SEED = 1;
/** Plugin of the directory and of the simulated sites. The directory has every version up to the newest. */
const RELEASED = { slug: 'akismet', file: 'akismet/akismet.php' };

/** Returns a version that the service does not have yet. An upload has its zip as well. */
async function releasedPackage({ service, place, mark }: FixtureContext): Promise<Values> {
  const version = `1.0.${mark.replace(/\D/g, '')}`;
  const url = `${service.env['SITEFLEET_DIRECTORY_URL']}/plugin/${RELEASED.slug}.${version}.zip`;
  const zip = new Uint8Array(await (await fetch(url)).arrayBuffer());
  const sha256 = createHash('sha256').update(zip).digest('hex');
  const isUpload = place.path.endsWith('/upload');
  return { type: 'plugin', slug: RELEASED.slug, version, url, sha256, ...(isUpload && { zip_file: new Blob([zip]) }) };
}

const hasCoreUpdate = (site: number): boolean => {
  const origin = { seed: FLEET_SEED, index: site - 1, now: Date.now(), admin: 'admin', adminPassword: '' };
  return generateSite(origin).core.update !== null;
};

/** Returns the first site from this one on that is synced now and matches. Earlier calls suspend sites. */
const syncedSite =
  (matches: (site: number) => boolean = () => true): Fixture =>
  async (context) => {
    for (let { site } = context; site <= scale.SITES; site++) {
      if (!matches(site)) continue;
      const isSynced = await call(context, 'POST', `/sites/${site}/sync`).then(
        () => true,
        () => false,
      );
      if (isSynced) return { id_or_domain: site, site_id_or_domain: site };
    }
    return {};
  };

const connectionOf = (site: number): Values => ({
  admin_username: 'admin',
  admin_password: adminPasswordOf(FLEET_SEED, site - 1),
});

/** Disconnects a site that accepts calls, so that it can be connected again. */
async function disconnectedSite(context: FixtureContext): Promise<Values> {
  const { id_or_domain: site } = await syncedSite()({ ...context, site: scale.FIRST_RESERVED_SITE });
  await call(context, 'POST', `/sites/${String(site)}/disconnect`);
  return { id_or_domain: site, site_id_or_domain: site, ...connectionOf(Number(site)) };
}

/** Removes a site that accepts calls, so that it can be added again. */
async function removedSite(context: FixtureContext): Promise<Values> {
  const { id_or_domain: site } = await syncedSite()(context);
  const { url } = (await call(context, 'GET', `/sites/${String(site)}`)) as Values;
  await call(context, 'DELETE', `/sites/${String(site)}/remove?deactivate_child=false`);
  const connection = connectionOf(Number(site));
  return { url, ...connection, adminpassword: connection['admin_password'] };
}

/** Returns an approved comment of the first site from this one on that has any. */
async function approvedComment(context: FixtureContext): Promise<Values> {
  for (let { site } = context; site <= scale.SITES; site++) {
    const list = `/comments?websites=${site}&maximum=1&status=approved`;
    const comment = await itemOf('id_comment', list, 'comment_id')(context);
    if ('id_comment' in comment) return { ...comment, id_or_domain: site };
  }
  return {};
}

/** By path. Without the record that a fixture adds, the call would fail before it does its work. */
const FIXTURES: readonly [path: RegExp, fixture: Fixture][] = [
  [
    /\/clients\/fields\/\{/,
    added('id_or_name', 'id', '/clients/fields/add', ({ mark }) => ({ name: `Field ${mark}` })),
  ],
  [
    /\/report-templates\/\{/,
    added('template_key', 'key', '/report-templates/add', ({ mark }) => ({
      name: `Template ${mark}`,
      sections: ['summary', 'work', 'recommendations'],
    })),
  ],
  [/\/report-schedules\/\{/, addSchedule],
  [/^\/reports\/\{/, makeReport],
  [/^\/jobs\/\{job_id\}$/, startLargeJob],
  [
    /\/rest-api\/(keys\/\{|edit-key|delete-key)/,
    added('key_id', 'id', '/rest-api/add-key', ({ mark }) => ({ permissions: 'read', description: mark })),
  ],
  [
    /\/rest-api\/roles\/\{/,
    added('role_name', 'name', '/rest-api/roles/add', ({ mark }) => ({
      name: `old-${slugOf(mark)}`,
      permissions: ['sites:read'],
    })),
  ],
  [
    /\/rest-api\/users\/\{/,
    added('service_user_id', 'id', '/rest-api/users/add', ({ mark }) => ({ name: `user-${mark}`, role: 'operator' })),
  ],
  [/\/product-types\/\{/, addedKey('slug', '/settings/cost-tracker/product-types/add')],
  [/\/payment-methods\/\{/, addedKey('slug', '/settings/cost-tracker/payment-methods/add')],
  [
    /\/buckets\/\{bucket_id\}\/delete/,
    added('bucket_id', 'id', '/time-tracker/buckets/add', ({ mark }) => ({ title: mark, hours: 10 })),
  ],
  [/\/tasks\/\{task_id\}\/(pause|stop)$/, startTask],
  [/\/schedules\/\{name\}/, itemOf('name', '/schedules', 'name')],
  [/\/posts\/\{id_or_domain\}\/\{/, itemOf('post_id', '/posts?websites=SITE&maximum=1', 'id')],
  [/\/pages\/\{id_or_domain\}\/\{/, itemOf('page_id', '/pages?websites=SITE&maximum=1', 'id')],
  [/\/comments\/\{id_or_domain\}\/\{/, approvedComment],
  [/\/(update-site-core-v1\/run|update\/core)$/, syncedSite(hasCoreUpdate)],
  [/\/update-site-(plugins|themes|translations)-v1\/run$/, syncedSite()],
  [/reconnect-site-v1\/run$|\/sites\/\{id_or_domain\}\/reconnect$/, disconnectedSite],
  [/\/(add-site-v1\/run|sites\/add)$/, removedSite],
  [/\/tags\/\{tag_id\}\/remove$/, added('tag_id', 'id', '/tags/add', ({ mark }) => ({ name: `Tag ${mark}` }))],
  [/\/packages\/(add|fetch|upload|install)$/, releasedPackage],
  // The first user is the administrator of the connection, whom no call may change.
  [/\/users\/\{id_or_domain\}\/\{/, itemOf('user_id', '/users?websites=SITE', 'id', -1)],
];

const slugOf = (mark: string): string => mark.replaceAll(' ', '-');

/**
 * Adds the records that a call needs, and returns the values that name them. A call whose record cannot be added fails,
 * and is listed with the failed calls.
 */
export async function fixtureValues(context: FixtureContext): Promise<Values> {
  const { path } = context.place;
  const values: Values = { ...fixedValues(context) };
  for (const [pattern, fixture] of FIXTURES)
    if (pattern.test(path))
      await fixture(context).then(
        (record) => Object.assign(values, record),
        (error: unknown) => console.log(`No record for ${path}: ${String(error)}`),
      );
  return values;
}

/** Values of seeded records, and of fields that must fit each other. */
function fixedValues({ place: { path }, mark, site }: FixtureContext): Values {
  // The examples name records that are not seeded.
  const common = { groups: [scale.COMMON_TAG], custom_fields: {}, active: true };
  if (/\/abilities\/v1|^\/svc\/\{name\}/.test(path)) return { ...common, name: 'list-sites-v1' };
  if (/\/rest-api\/roles\//.test(path)) return { ...common, name: `role-${slugOf(mark)}` };
  if (/\/time-tracker\/tasks\//.test(path))
    return { ...common, client_id: scale.BUSY_CLIENT, site_id: scale.BUSY_SITE, bucket_id: 1 };
  // The seeded comments are approved.
  if (path.startsWith('/comments/')) return { ...common, action: 'spam' };
  // Sites are named by one field.
  const ofSites = { ...common, groups: undefined, websites: scale.sitesFrom(site) };
  if (path === '/users/create') return ofSites;
  if (path.startsWith('/pins')) return { ...ofSites, slug: RELEASED.file, version: '<99' };
  if (path.startsWith('/packages')) return { ...ofSites, slug: RELEASED.slug, version: '1.0.1' };
  // A schedule is for a site or for a client.
  if (path.endsWith('/report-schedules/add')) return { ...common, client_id: undefined };
  return common;
}
