import { throwFieldError } from '../../../http/errors.ts';
import type { InnerCall } from '../../../http/operation-types.ts';
import { v2ErrorDialect } from '../errors.ts';

export interface BatchAction {
  /**
   * True if the items of the action call sites. They then run in parallel. The items of other actions run one after
   * another.
   */
  callsSites: boolean;
  callOf: (item: unknown) => InnerCall;
  /** Returns 0 if the item has no ID. */
  idOf: (item: unknown) => number;
}

type Fields = Record<string, unknown>;

const batchCreateAction = (group: string, callsSites = false): BatchAction => ({
  callsSites,
  callOf: (body) => ({ method: 'POST', path: `/${group}/add`, body: requireItemFields(body) }),
  idOf: () => 0,
});

const batchUpdateAction = (group: string): BatchAction => ({
  callsSites: false,
  callOf: (item) => {
    const { id, ...body } = requireItemFields(item);
    if (!isId(id)) throwItemError('id', 'must be the ID of a record');
    return { method: 'POST', path: `/${group}/${id}/edit`, body };
  },
  idOf: (item) => idOrZero((item as Fields | null)?.['id']),
});

const batchRecordAction = (
  group: string,
  method: InnerCall['method'],
  verb: string,
  callsSites = false,
): BatchAction => ({
  callsSites,
  callOf: (id) => {
    if (!isId(id)) throwItemError('', 'must be the ID of a record');
    return { method, path: `/${group}/${id}/${verb}` };
  },
  idOf: idOrZero,
});

const RECONNECT_ACTION: BatchAction = {
  ...batchRecordAction('sites', 'POST', 'reconnect', true),
  callOf: (item) => {
    const { id, ...body } = isId(item) ? { id: item } : requireItemFields(item);
    if (!isId(id)) throwItemError('id', 'must be the ID of a site');
    const path = `/sites/${id}/reconnect`;
    return { method: 'POST', path, ...(Object.keys(body).length > 0 ? { body } : {}) };
  },
  idOf: (item) => idOrZero(typeof item === 'object' ? (item as Fields | null)?.['id'] : item),
};

const CHANGES_ACTION = batchRecordAction('sites', 'GET', 'non-svc-changes');

const SITE_ACTIONS: Record<string, BatchAction> = {
  sync: batchRecordAction('sites', 'POST', 'sync', true),
  reconnect: RECONNECT_ACTION,
  disconnect: batchRecordAction('sites', 'POST', 'disconnect'),
  suspend: batchRecordAction('sites', 'POST', 'suspend'),
  check: batchRecordAction('sites', 'POST', 'check', true),
  remove: batchRecordAction('sites', 'DELETE', 'remove', true),
  security: batchRecordAction('sites', 'GET', 'security'),
  plugins: batchRecordAction('sites', 'GET', 'plugins'),
  themes: batchRecordAction('sites', 'GET', 'themes'),
  'non-svc-changes': CHANGES_ACTION,
  'non-mainwp-changes': CHANGES_ACTION,
};

export type BatchResource = 'sites' | 'clients' | 'costs' | 'tags';

export const batchActionsOf = (group: BatchResource): Record<string, BatchAction> => ({
  create: batchCreateAction(group, group === 'sites'),
  update: batchUpdateAction(group),
  delete: batchRecordAction(group, 'DELETE', 'remove', group === 'sites'),
  ...(group === 'sites' ? SITE_ACTIONS : {}),
});

const UPDATE_ROUTES = new Map([
  ['core', 'core'],
  ['plugin', 'plugins'],
  ['plugins', 'plugins'],
  ['theme', 'themes'],
  ['themes', 'themes'],
  ['translation', 'translations'],
  ['translations', 'translations'],
]);

/**
 * Updates of core and translations have no guard (check and rollback), so their items must not have `guard` or `force`.
 */
const UNGUARDED_ROUTES = ['core', 'translations'];

const INSTALL_UPDATES_ACTION: BatchAction = {
  callsSites: true,
  callOf: (item) => {
    const { site, type, slugs, guard, force, ...more } = requireItemFields(item);
    const [unknown] = Object.keys(more);
    if (unknown !== undefined) throwItemError(unknown, 'is not a known field');
    if (!isId(site) && (typeof site !== 'string' || site === '')) throwItemError('site', 'must be an ID or a domain');
    const route = type === undefined ? '' : UPDATE_ROUTES.get(type as string);
    if (route === undefined) throwItemError('type', 'must be core, plugins, themes or translations');
    if (slugs !== undefined && (route === '' || route === 'core'))
      throwItemError('slugs', 'must only be set for a type that has slugs');
    const guarded = { ...(guard !== undefined && { guard }), ...(force !== undefined && { force }) };
    const [first] = Object.keys(guarded);
    if (first !== undefined && UNGUARDED_ROUTES.includes(route))
      throwItemError(first, 'must only be set for plugins, themes or all types');
    const path = ['/updates', encodeURIComponent(site), 'update', ...(route === '' ? [] : [route])].join('/');
    const body = { ...(slugs !== undefined && { slug: joinSlugs(slugs) }), ...guarded };
    return { method: 'POST', path, ...(Object.keys(body).length > 0 ? { body } : {}) };
  },
  idOf: () => 0,
};

function joinSlugs(slugs: unknown): string {
  const list = typeof slugs === 'string' ? [slugs] : slugs;
  if (!Array.isArray(list) || !list.every((slug) => typeof slug === 'string' && slug !== ''))
    throwItemError('slugs', 'must be slugs, given as a list or separated by commas');
  return list.join(',');
}

/** All actions in the order in which they run: first `create` of each group, then the actions on sites. */
export const BATCH_ACTIONS: readonly (readonly [group: string, action: string, does: BatchAction])[] = [
  ['sites', 'create', batchCreateAction('sites', true)],
  ['clients', 'create', batchCreateAction('clients')],
  ['updates', 'create', INSTALL_UPDATES_ACTION],
  ['costs', 'create', batchCreateAction('costs')],
  ['tags', 'create', batchCreateAction('tags')],
  ...Object.entries(SITE_ACTIONS).map(([action, does]) => ['sites', action, does] as const),
];

function requireItemFields(item: unknown): Fields {
  if (typeof item === 'object' && item !== null && !Array.isArray(item)) return item as Fields;
  throwItemError('', 'must be an object');
}

const isId = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0;

function idOrZero(value: unknown): number {
  return Number.isSafeInteger(value) ? (value as number) : 0;
}

function throwItemError(name: string, message: string): never {
  throwFieldError(v2ErrorDialect, name === '' ? 'body' : `body.${name}`, message);
}
