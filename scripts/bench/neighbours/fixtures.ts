import type { BenchService } from '../processes.ts';
import * as scale from './scale.ts';
import { send } from './service-calls.ts';

type Values = Record<string, unknown>;

interface FixtureContext {
  service: BenchService;
  /** Site that no other call of the round uses. */
  site: number;
  /** Name that no other record has. */
  mark: string;
}

type Fixture = (context: FixtureContext) => Promise<Values>;

async function call({ service }: FixtureContext, method: string, path: string, body?: object): Promise<unknown> {
  const text = body && JSON.stringify(body);
  const { status, json } = await send(service, { method, path: `/api/v2${path}`, body: text });
  if (status >= 400) throw new Error(`${method} ${path}: ${JSON.stringify(json)}`);
  return json?.['data'];
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

/** Returns a fixture that takes a field of the first item of a list, which may be grouped by site. */
const firstOf =
  (value: string, path: string, field: string): Fixture =>
  async (context) => {
    const list = (await call(context, 'GET', path.replace('SITE', String(context.site)))) ?? [];
    const [first] = Object.values(list).flat() as Values[];
    return first ? { [value]: first[field] } : {};
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
  [/\/tasks\/\{task_id\}\/pause/, startTask],
  [/\/schedules\/\{name\}/, firstOf('name', '/schedules', 'name')],
  [/\/posts\/\{id_or_domain\}\/\{/, firstOf('post_id', '/posts?websites=SITE&maximum=1', 'id')],
  [/\/pages\/\{id_or_domain\}\/\{/, firstOf('page_id', '/pages?websites=SITE&maximum=1', 'id')],
  [/\/comments\/\{id_or_domain\}\/\{/, firstOf('id_comment', '/comments?websites=SITE&maximum=1', 'id')],
  [/\/users\/\{id_or_domain\}\/\{/, firstOf('user_id', '/users?websites=SITE', 'id')],
];

const slugOf = (mark: string): string => mark.replaceAll(' ', '-');

/**
 * Adds the records that a call needs, and returns the values that name them. A call whose record cannot be added fails,
 * and is listed with the failed calls.
 */
export async function fixtureValues(path: string, context: FixtureContext): Promise<Values> {
  const values: Values = { ...fixedValues(path, context) };
  for (const [pattern, fixture] of FIXTURES)
    if (pattern.test(path))
      await fixture(context).then(
        (record) => Object.assign(values, record),
        (error: unknown) => console.log(`No record for ${path}: ${String(error)}`),
      );
  return values;
}

/** Values of seeded records, and of fields that must fit each other. */
function fixedValues(path: string, { mark }: FixtureContext): Values {
  // The examples name records that are not seeded.
  const common = { groups: [scale.COMMON_TAG], custom_fields: {}, active: true };
  if (/\/abilities\/v1|^\/svc\/\{name\}/.test(path)) return { ...common, name: 'list-sites-v1' };
  if (/\/rest-api\/roles\//.test(path)) return { ...common, name: `role-${slugOf(mark)}` };
  if (/\/time-tracker\/tasks\//.test(path))
    return { ...common, client_id: scale.BUSY_CLIENT, site_id: scale.BUSY_SITE, bucket_id: 1 };
  // The seeded comments are approved.
  if (path.startsWith('/comments/')) return { ...common, action: 'spam' };
  // A schedule is for a site or for a client.
  if (path.endsWith('/report-schedules/add')) return { ...common, client_id: undefined };
  return common;
}
