import type { InnerCall } from '../../http/operation.ts';
import { InvalidError } from '../../shared/errors.ts';

/** What a batch does to the items of one of its arrays. */
export interface BatchAction {
  /** The items call sites and run side by side; all others run one after another. */
  callsSites: boolean;
  /** The call of a single route that an item stands for; throws for an item that no call can be made of. */
  callOf: (item: unknown) => InnerCall;
  /** How the error of an item names it; 0 for one that has no ID yet. */
  idOf: (item: unknown) => number;
}

type Fields = Record<string, unknown>;

const adding = (group: string, callsSites = false): BatchAction => ({
  callsSites,
  callOf: (body) => ({ method: 'POST', path: `/${group}/add`, body }),
  idOf: () => 0,
});

const editing = (group: string): BatchAction => ({
  callsSites: false,
  callOf: (item) => {
    const { id, ...body } = item as Fields;
    if (!isId(id)) throw refused('id', 'must be the ID of a record');
    return { method: 'POST', path: `/${group}/${id}/edit`, body };
  },
  idOf: (item) => idIn((item as Fields)['id']),
});

const to = (group: string, method: InnerCall['method'], verb: string, callsSites = false): BatchAction => ({
  callsSites,
  callOf: (id) => ({ method, path: `/${group}/${String(id)}/${verb}` }),
  idOf: idIn,
});

const changes = to('sites', 'GET', 'non-svc-changes');

/** In the order in which they run. */
const SITE_ACTIONS: Record<string, BatchAction> = {
  sync: to('sites', 'POST', 'sync', true),
  reconnect: to('sites', 'POST', 'reconnect', true),
  disconnect: to('sites', 'POST', 'disconnect'),
  suspend: to('sites', 'POST', 'suspend'),
  check: to('sites', 'POST', 'check', true),
  remove: to('sites', 'DELETE', 'remove', true),
  security: to('sites', 'GET', 'security'),
  plugins: to('sites', 'GET', 'plugins'),
  themes: to('sites', 'GET', 'themes'),
  'non-svc-changes': changes,
  'non-mainwp-changes': changes,
};

export type BatchGroup = 'sites' | 'clients' | 'costs' | 'tags';

/** Actions of the batch of one group. */
export const groupActions = (group: BatchGroup): Record<string, BatchAction> => ({
  create: adding(group, group === 'sites'),
  update: editing(group),
  delete: to(group, 'DELETE', 'remove', group === 'sites'),
  ...(group === 'sites' ? SITE_ACTIONS : {}),
});

/** Names under which callers know the kinds of updates, and how the routes call them. */
const UPDATE_ROUTES = new Map([
  ['core', 'wp'],
  ['wp', 'wp'],
  ['plugin', 'plugins'],
  ['plugins', 'plugins'],
  ['theme', 'themes'],
  ['themes', 'themes'],
  ['translation', 'translations'],
  ['translations', 'translations'],
]);

const installing: BatchAction = {
  callsSites: true,
  callOf: (item) => {
    const { site, type, slugs, ...more } = item as Fields;
    const [unknown] = Object.keys(more);
    if (unknown !== undefined) throw refused(unknown, 'is not a known field');
    if (!isId(site) && (typeof site !== 'string' || site === '')) throw refused('site', 'must be an ID or a domain');
    const route = type === undefined ? '' : UPDATE_ROUTES.get(type as string);
    if (route === undefined) throw refused('type', 'must be core, plugins, themes or translations');
    if (slugs !== undefined && (route === '' || route === 'wp'))
      throw refused('slugs', 'fits only a type that has slugs');
    const path = ['/updates', encodeURIComponent(site), 'update', ...(route === '' ? [] : [route])].join('/');
    return { method: 'POST', path, ...(slugs === undefined ? {} : { body: { slug: slugsIn(slugs) } }) };
  },
  idOf: () => 0,
};

function slugsIn(slugs: unknown): string {
  const list = typeof slugs === 'string' ? [slugs] : slugs;
  if (!Array.isArray(list) || !list.every((slug) => typeof slug === 'string' && slug !== ''))
    throw refused('slugs', 'must be slugs, as a list or separated by commas');
  return list.join(',');
}

/** Group, action and what it does, in the order in which they run: additions first, then what is done to sites. */
export const BATCH_ACTIONS: readonly (readonly [group: string, action: string, does: BatchAction])[] = [
  ['sites', 'create', adding('sites', true)],
  ['clients', 'create', adding('clients')],
  ['updates', 'create', installing],
  ['costs', 'create', adding('costs')],
  ['tags', 'create', adding('tags')],
  ...Object.entries(SITE_ACTIONS).map(([action, does]) => ['sites', action, does] as const),
];

const isId = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0;

function idIn(value: unknown): number {
  return Number.isSafeInteger(value) ? (value as number) : 0;
}

const refused = (name: string, message: string): InvalidError =>
  new InvalidError('rest_invalid_param', `body.${name} ${message}`, { errors: [{ path: `body.${name}`, message }] });
