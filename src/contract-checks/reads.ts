import {
  basePathOf,
  deref,
  jsonMediaOf,
  operationsOf,
  parametersOf,
  errorCodesOf,
  type Contract,
  type LocatedOperation,
  type Parameter,
  type Schema,
} from '../contract/index.ts';
import { exampleRequest, type ExampleRequest } from './example-request.ts';
import type { Findings } from './findings.ts';
import type { Reply, VerifiedService } from './service.ts';

export interface ReadOperation {
  contract: Contract;
  place: LocatedOperation;
  id: string;
  parameters: Parameter[];
}

/**
 * Values that exist in the service, such as IDs. The key is the name of a parameter or field, or the path up to a
 * parameter, such as `/api/v2/tags/{tag_id}`.
 */
export type KnownValues = Map<string, unknown>;

export interface Session {
  service: VerifiedService;
  findings: Findings;
  known: KnownValues;
}

export function readOperationsOf(contract: Contract, live: boolean): { reads: ReadOperation[]; left: ReadOperation[] } {
  const all = operationsOf(contract)
    .filter(({ item, verb }) => (item['x-ability'] ? item['x-ability'].readonly : verb === 'get'))
    .map((place) => ({
      contract,
      place,
      id: place.operation.operationId,
      parameters: parametersOf(contract, place),
    }));
  return {
    reads: all.filter((read) => live || !callsSites(read)),
    left: all.filter((read) => !live && callsSites(read)),
  };
}

/**
 * True if the operation can call sites: it has an error code about a site, takes `websites` and returns `errors`, or
 * takes `segments`, which can contain data of sites.
 */
function callsSites({ contract, place, parameters }: ReadOperation): boolean {
  const codes = [...errorCodesOf(contract, place).values()].flat();
  if (codes.some((code) => /^svc_(site_(unreachable|refused|bad_answer)|backup_provider_failed)$/.test(code)))
    return true;
  const { errors } = deref(contract, jsonMediaOf(place.operation.responses['200'])?.schema ?? {}).properties ?? {};
  const chooses = (name: string): boolean => parameters.some((each) => each.in === 'query' && each.name === name);
  return (chooses('websites') && errors !== undefined) || chooses('segments');
}

/**
 * Returns the records of a response. They are in `data` or `items`, in lists by site address, or they are the response
 * itself.
 */
export function recordsIn(json: unknown): Record<string, unknown>[] | null {
  const { data, items } = (json ?? {}) as { data?: unknown; items?: unknown };
  const keyed = isObject(data) && Object.values(data).every(Array.isArray) ? Object.values(data).flat() : undefined;
  const list = [json, data, items, keyed].find(Array.isArray) as unknown[] | undefined;
  return list?.every(isObject) ? list : null;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function queryParameterSchema({ contract, place, parameters }: ReadOperation, name: string): Schema | undefined {
  const inQuery = parameters.filter((each) => each.in === 'query');
  if (!place.item['x-ability']) return inQuery.find((each) => each.name === name)?.schema;
  const input = inQuery.find((each) => each.name === 'input')?.schema ?? {};
  return deref(contract, input).properties?.[name];
}

export function requestOf({ contract, place }: ReadOperation, { known }: Session): Promise<ExampleRequest> {
  const base = basePathOf(contract);
  const own = [...place.path.matchAll(/\{(\w+)\}/g)].map(({ 0: part, 1: name = '', index }) => {
    const list = base + place.path.slice(0, index + part.length);
    return [name, known.get(list) ?? known.get(name)] as const;
  });
  const shared = [...known].filter(([name]) => !name.startsWith('/'));
  return exampleRequest(contract, place, Object.fromEntries<unknown>([...shared, ...own]));
}

export async function callOperation(
  read: ReadOperation,
  session: Session,
  { query = {}, headers = {} }: { query?: Record<string, string>; headers?: Record<string, string> } = {},
): Promise<Reply> {
  const { method, path, body } = await requestOf(read, session);
  if (Object.keys(query).length === 0) return session.service.call(method, path, { headers, body });
  const address = new URL(path, session.service.url);
  for (const [name, value] of Object.entries(query))
    address.searchParams.set(read.place.item['x-ability'] ? `input[${name}]` : name, value);
  return session.service.call(method, address.pathname + address.search, { headers, body });
}

/**
 * Reads existing values from lists: the ID of the first record of `/tags` becomes `tag_id`, in paths and in inputs of
 * abilities. In a path with two parameters, the first one is looked up first.
 */
export async function discoverKnownValues(reads: readonly ReadOperation[], session: Session): Promise<void> {
  const paths = new Map(
    reads
      .filter(({ place }) => place.verb === 'get')
      .map((read) => [(basePathOf(read.contract) + read.place.path).replace(/\/$/, ''), read]),
  );
  const steps = [...paths.keys()].sort((left, right) => left.split('{').length - right.split('{').length);
  for (const path of steps) {
    const [, list = '', name = ''] = /^(.*)\/\{(\w+)\}[^{]*$/.exec(path) ?? [];
    const source = paths.get(list) ?? (name.endsWith('_id') ? paths.get(list.replace(/\/[^/]+$/, '')) : undefined);
    const own = `${list}/{${name}}`;
    if (!source || session.known.has(own)) continue;
    const [record] = recordsIn((await callOperation(source, session)).json) ?? [];
    const value = record?.[name] ?? record?.['id'] ?? record?.[name.replace(/^\w+_/, '')];
    if (value === undefined) continue;
    session.known.set(own, value);
    for (const alias of referenceNamesOf(name, list)) if (!session.known.has(alias)) session.known.set(alias, value);
  }
}

/**
 * Returns all names under which parameters and fields refer to a record of `list`. `name` is the name in the path.
 * Sites and clients have several names.
 */
function referenceNamesOf(name: string, list: string): string[] {
  const singular = /([a-z]+)s$/.exec(list)?.[1] ?? '';
  if (name.includes('_or_')) return [name, `${singular}_${name}`, `${singular}_id`];
  // Other names, such as `slug`, can mean something else in other operations.
  return name.endsWith('_id') ? [name] : [];
}
