import {
  basePathOf,
  deref,
  operationsOf,
  parametersOf,
  type Contract,
  type LocatedOperation,
} from '../../../src/contract/index.ts';
import { readContract } from '../../../src/surfaces/generated-files.ts';
import { DAY, toDate } from '../../../src/shared/clock.ts';
import qs from 'qs';
import { exampleRequest } from '../../../src/contract-checks/index.ts';
import { findBrowser } from '../../../src/browser/browser-path.ts';
import type { BenchService } from '../processes.ts';
import { fixtureValues } from './fixtures.ts';
import type { LimitedKey } from './limited-keys.ts';
import * as scale from './scale.ts';
import type { ServiceCall } from './service-calls.ts';

export interface NeighbourCall extends ServiceCall {
  name: string;
  /** True if `page` is replaced with the last page of the list. */
  isDeep?: boolean;
}

export interface Neighbour {
  operation: string;
  /** Returns the worst-case calls. Each round changes other records. */
  calls: (context: CallContext, round: number) => Promise<NeighbourCall[]>;
}

export interface CallContext {
  service: BenchService;
  keys: readonly LimitedKey[];
}

type Values = Record<string, unknown>;

const MOST_IDS = 500;
export const LARGEST_PAGE = 100_000;
/** Most rounds of a call. Each has records of its own. */
const ROUNDS = 5;
/** Calls that take a module, a site or a credential from all that follow. */
const DISRUPTIVE =
  /^(tools_|keys_|modules_edit|sites_(disconnect|reconnect)_all|disconnect-|reconnect-sites-|settings_)/;

const dateOf = (daysAgo: number): string => toDate(Date.now() - daysAgo * DAY);
const idsFrom = (first: number, count: number): number[] => Array.from({ length: count }, (_, index) => first + index);

/** Values that make a read expensive: the busy site, the largest page, all optional parts, and the past year. */
const EXPENSIVE: Values = {
  full_data: true,
  with_tags: true,
  with_custom_fields: true,
  with_opportunities: true,
  history: 1,
  include_stats: true,
  start_date: dateOf(365),
  end_date: dateOf(1),
  source: 'all',
};

const FILTERS: readonly Values[] = [
  { search: 'none has this' },
  { search: 'none has this', search_on: 'title' },
  { actor: scale.BUSY_ACTOR, source: 'all' },
  { actor: 'nobody', source: 'all' },
  { type: 'post.updated', source: 'all' },
  { type: 'none.has-this', source: 'all' },
  { contexts: ['plugins'], source: 'all' },
  { actions: ['updated'], source: 'all' },
  { client_id: scale.BUSY_CLIENT },
  { tag_id: scale.COMMON_TAG },
  { include: idsFrom(1, MOST_IDS) },
  { exclude: idsFrom(1, MOST_IDS) },
  { sites: idsFrom(1, MOST_IDS) },
  { shape: 'by_site' },
  { requested_by: 'nobody' },
  { recipient: 'nobody@example.com' },
];

export async function neighbours(): Promise<Neighbour[]> {
  const canPrint = (await findBrowser(process.env['CHROME_PATH'] ?? null)) !== null;
  if (!canPrint) console.log('No browser is installed, so reports as PDF are not measured.');
  const all = (['abilities', 'v2'] as const).flatMap((surface) => {
    const contract = readContract(surface);
    return operationsOf(contract).map((place) => ({ contract, place, isRead: isRead(place) }));
  });
  const rank = ({ place, isRead: reads }: (typeof all)[number]): number =>
    reads ? 0 : DISRUPTIVE.test(nameOf(place)) ? 2 : 1;
  return all
    .sort((a, b) => rank(a) - rank(b))
    .map(({ contract, place, isRead: reads }, index) => ({
      operation: `${place.verb.toUpperCase()} ${basePathOf(contract)}${place.path}`,
      calls: (context, round) => {
        const operation = { contract, place, turn: ROUNDS * index + round };
        return reads ? readCalls(context, { ...operation, canPrint }) : writeCalls(context, operation);
      },
    }));
}

const nameOf = ({ place: _place, path, operation }: LocatedOperation & { place?: never }): string =>
  /\/svc\/([\w-]+)\/run/.exec(path)?.[1] ?? operation.operationId;

/** True for a GET, and for the POST form of an ability that also has a GET form. */
const isRead = ({ verb, path, item }: LocatedOperation): boolean =>
  verb === 'get' || (verb === 'post' && item.get !== undefined && path.startsWith('/svc/'));

interface OperationInTurn {
  contract: Contract;
  place: LocatedOperation;
  turn: number;
}

async function readCalls(
  { service, keys }: CallContext,
  { contract, place, turn, canPrint }: OperationInTurn & { canPrint: boolean },
): Promise<NeighbourCall[]> {
  const context = { service, place, site: scale.BUSY_SITE, mark: `read ${turn}` };
  const named = { ...namedRecords(1, 1, 'busy'), ...(await fixtureValues(context)) };
  const inputs = inputNames(contract, place);
  const known = (values: Values): Values =>
    Object.fromEntries(Object.entries(values).filter(([name, value]) => isAllowed(inputs, name, value)));
  const largest = (inputs.get('per_page') ?? inputs.get('maximum') ?? 0) as number;
  const page = inputs.has('per_page') ? { per_page: largest } : inputs.has('maximum') ? { maximum: largest } : {};
  const wide = { ...known(EXPENSIVE), ...page };
  const formats = (inputs.get('format') ?? []) as string[];
  const variants: [string, Values][] = [
    ['first', {}],
    ['wide', wide],
    ...FILTERS.filter((filter) => !isIncomplete(inputs, filter))
      .filter((filter) => Object.entries(filter).every(([name, value]) => isAllowed(inputs, name, value)))
      .map((filter): [string, Values] => [Object.values(filter).flat().slice(0, 1).join(), { ...wide, ...filter }]),
    ...formats
      .filter((format) => format !== 'pdf' || canPrint)
      // A table has one segment.
      .map((format): [string, Values] => [
        format,
        { ...wide, format, ...(format === 'csv' && known({ segments: 'plugins' })) },
      ]),
    ...(inputs.has('page') ? [['deep', { page: LARGEST_PAGE, source: 'all' }] as [string, Values]] : []),
  ];
  const callsOf = (chosen: typeof variants, suffix: string, authorization?: string): Promise<NeighbourCall[]> =>
    Promise.all(
      chosen.map(async ([name, values]) => ({
        ...(await requestOf(contract, place, named, known(values))),
        name: `${name}${suffix}`,
        isDeep: name === 'deep',
        authorization,
      })),
    );
  // A call to all sites takes seconds, and how long it waits for sites does not depend on the key.
  const ofKeys = inputs.has('maximum') ? variants.filter(([name]) => name === 'wide') : variants;
  const limited = keys
    .filter((key) => isLimitedList(place, inputs, key))
    .map(({ name, authorization, seesBusySite }) => {
      const seen = seesBusySite ? ofKeys : ofKeys.filter(([, values]) => !('client_id' in values));
      return callsOf(seen, `, ${name}`, authorization);
    });
  return (await Promise.all([callsOf(variants, ''), ...limited])).flat();
}

const BUSY_INPUTS = ['site_id_or_domain', 'client_id_or_email', 'id_or_domain', 'id_or_email'];

/** True if the operation is a list whose rows are limited to the sites of the key. */
function isLimitedList(
  { path, verb, operation }: LocatedOperation,
  inputs: ReadonlyMap<string, unknown>,
  { seesBusySite }: LimitedKey,
): boolean {
  // The POST form of an ability reads the same rows.
  if (verb !== 'get' || operation['x-site-limit'] !== true) return false;
  const namesBusyRecord = /(^|\/)(sites|clients)\/\{/.test(path) || BUSY_INPUTS.some((name) => inputs.has(name));
  if (namesBusyRecord) return seesBusySite;
  const isList = ['page', 'per_page', 'maximum', 'full_data'].some((name) => inputs.has(name));
  return !path.includes('{') && (isList || path.endsWith('/export'));
}

/** True if the operation has an input with this name that takes the value. */
function isAllowed(inputs: ReadonlyMap<string, unknown>, name: string, value: unknown): boolean {
  const allowed = inputs.get(name);
  return inputs.has(name) && (!Array.isArray(allowed) || allowed.includes(value));
}

/** Posts and pages take `search` and `search_on` together or not at all. */
const isIncomplete = (inputs: ReadonlyMap<string, unknown>, filter: Values): boolean =>
  'search' in filter && inputs.has('search_on') !== 'search_on' in filter;

async function writeCalls(
  { service }: CallContext,
  { contract, place, turn }: OperationInTurn,
): Promise<NeighbourCall[]> {
  if (/batch$/.test(place.path)) return [{ ...batchOf(place, turn), name: 'largest' }];
  // The first sites belong to the busy client, and each call has sites of its own.
  const first = scale.CLIENT_SITES + 1;
  const site = first + ((turn * 3) % (scale.FIRST_RESERVED_SITE - scale.INLINE_SITES - first));
  const sites = scale.sitesFrom(site);
  const named = {
    ...namedRecords(site, 10 + (turn % 180), `turn ${turn}`),
    ...{ site_ids_or_domains: sites, include: sites, exclude: [], confirm: true },
    ...(await fixtureValues({ service, place, site, mark: `turn ${turn}` })),
  };
  const { zip_file } = named as { zip_file?: Blob };
  if (zip_file) return [{ ...(await uploadOf(place, { ...named, zip_file })), name: 'largest' }];
  return [{ ...(await requestOf(contract, place, named, {})), name: 'largest' }];
}

async function uploadOf({ path, verb }: LocatedOperation, named: Values & { zip_file: Blob }): Promise<ServiceCall> {
  const form = new FormData();
  for (const field of ['type', 'slug', 'version']) form.set(field, String(named[field]));
  form.set('zip_file', named.zip_file, 'package.zip');
  const encoded = new Response(form);
  return {
    method: verb.toUpperCase(),
    path: `/api/v2${path}`,
    body: Buffer.from(await encoded.arrayBuffer()),
    contentType: encoded.headers.get('content-type') ?? undefined,
  };
}

function namedRecords(site: number, other: number, mark: string): Values {
  return {
    ...{ id_or_domain: site, site_id_or_domain: site, site_id: site, client_id_or_email: other, id_or_email: other },
    ...{ client_id: other, tag_id: other > 1 ? 10 + (other % 39) : 1, cost_id: other, task_id: other },
    ...{ pin_id: site, fix_id: site, package_id: 1 + (site % scale.PACKAGES), vulnerability_id: 1 },
    ...{ destroy_id: scale.TOOLS[0], renew_id: scale.TOOLS[1], disconnect_id: scale.TOOLS[2] },
    ...{ bucket_id: other > 1 ? 1 + (other % 20) : 1, mail_id: other, job_id: scale.FAILED_JOB },
    ...{ name: `Name ${mark}`, client_name: `Name ${mark}`, title: `Title ${mark}` },
    ...{ email: `${mark.replace(' ', '')}@example.com`, client_email: `${mark.replace(' ', '')}@example.com` },
  };
}

async function requestOf(
  contract: Contract,
  place: LocatedOperation,
  named: Values,
  values: Values,
): Promise<ServiceCall> {
  const isInput = parametersOf(contract, place).some(({ name }) => name === 'input') || place.operation.requestBody;
  const request = await exampleRequest(contract, place, { ...named, ...(isInput ? values : {}) });
  const [path = '', query = ''] = request.path.split('?');
  const all = isInput ? qs.parse(query) : { ...qs.parse(query), ...values };
  return {
    method: request.method,
    path: path + qs.stringify(all, { encodeValuesOnly: true, arrayFormat: 'brackets', addQueryPrefix: true }),
    body: request.body ?? undefined,
    contentType: request.contentType ?? undefined,
  };
}

/** Returns the parameters of a read by name. The value is the maximum of a number, or the list of allowed values. */
function inputNames(contract: Contract, place: LocatedOperation): Map<string, unknown> {
  const names = new Map<string, unknown>();
  const add = (name: string, schema: object): void => {
    const { maximum, enum: values } = deref(contract, schema as never) as { maximum?: number; enum?: unknown };
    names.set(name, name === 'per_page' ? (maximum ?? MOST_IDS) : (maximum ?? values));
  };
  for (const { name, in: where, schema } of parametersOf(contract, place)) {
    if (where !== 'query' || !schema) continue;
    if (name !== 'input') add(name, schema);
    else for (const [field, each] of Object.entries(deref(contract, schema).properties ?? {})) add(field, each);
  }
  const media = place.operation.requestBody?.content?.['application/json'];
  const input = media && deref(contract, media.schema).properties?.['input'];
  if (input) for (const [field, each] of Object.entries(deref(contract, input).properties ?? {})) add(field, each);
  return names;
}

/** Returns a batch of 100 items: the largest number that the default setting allows. */
function batchOf({ path, verb }: LocatedOperation, turn: number): ServiceCall {
  const names = (count: number): object[] => idsFrom(0, count).map((index) => ({ name: `Batch ${turn} ${index}` }));
  const bodies: Record<string, object> = {
    '/batch': {
      tags: { create: names(20) },
      clients: { create: names(20) },
      sites: { plugins: idsFrom(1, 20), themes: idsFrom(1, 20), 'non-svc-changes': idsFrom(1, 20) },
    },
    '/sites/batch': { plugins: idsFrom(1, 50), 'non-svc-changes': idsFrom(1, 50) },
    '/clients/batch': { create: names(100) },
    '/tags/batch': { create: names(100) },
    '/costs/batch': { update: idsFrom(1, 100).map((id) => ({ id, note: `Turn ${turn}` })) },
  };
  return { method: verb.toUpperCase(), path: `/api/v2${path}`, body: JSON.stringify(bodies[path] ?? {}) };
}
