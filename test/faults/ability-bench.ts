import assert from 'node:assert/strict';
import type { SimulatedSite } from '../../src/sandbox/index.ts';
import { deref, jsonMediaOf, operationsOf, type Contract, type Schema } from '../../src/contract/index.ts';
import { readContract } from '../../src/surfaces/generated-files.ts';
import { checkResponse } from '../support/contract-check.ts';
import { CHILD_PLUGIN } from '../support/inventory.ts';
import { startWorld, type World, type WorldOptions } from '../support/world.ts';

/** How an ability responds if its site fails. */
export type AbilityKind =
  /** Calls one site. Its failure is the error of the call. */
  | 'call'
  /** Calls several sites. The failure of one is in `errors`. */
  | 'batch'
  /**
   * Runs updates in sequence. Each failure is in `errors`, even after an update with an unknown outcome.
   */
  | 'update'
  /** Requests the web server, not the child plugin. */
  | 'check'
  /** Notifies the site if possible, and succeeds even if the site fails. */
  | 'told'
  | 'add'
  /** Calls no site. */
  | 'local';

export interface Ability {
  name: string;
  kind: AbilityKind;
  fields: Schema;
  example: Record<string, unknown>;
}

const CONTRACT: Contract = readContract('abilities');

/** Batches that only change stored records. */
const LOCAL_BATCH = /^(disconnect|suspend|unsuspend)-sites-v1$/;

/**
 * All abilities that change something or call a site. They are read from the contract, so that new abilities are
 * tested too.
 */
export const abilities: Ability[] = operationsOf(CONTRACT).flatMap(({ item, verb, operation, id }) => {
  if (verb !== 'post' || !item['x-ability'] || item['x-ability'].readonly) return [];
  const media = jsonMediaOf(operation.requestBody) as { schema: Schema; example?: { input?: object } };
  const fields = deref(CONTRACT, deref(CONTRACT, media.schema).properties?.['input'] ?? {});
  const example = { ...media.example?.input } as Record<string, unknown>;
  const callsSites = operation['x-errors']?.includes('svc_site_unreachable') === true;
  return [{ name: id, kind: kindOf(id, fields, callsSites), fields, example }];
});

function kindOf(name: string, fields: Schema, callsSites: boolean): AbilityKind {
  const given = fields.properties ?? {};
  if (name === 'add-site-v1') return 'add';
  if (name === 'delete-site-v1') return 'told';
  if (/^check-sites?-v1$/.test(name)) return 'check';
  if (/^(run-updates|update-all|update-site-(core|plugins|themes|translations))-v1$/.test(name)) return 'update';
  if (callsSites && 'site_id_or_domain' in given) return 'call';
  return LOCAL_BATCH.test(name) || !('site_ids_or_domains' in given) ? 'local' : 'batch';
}

const ACTIVE_THEME = 'worn';
const FRESH_PLUGIN = 'alpha/alpha.php';
const ACTIVE_PLUGIN = 'beta/beta.php';
const FRESH_THEME = 'spare';

/** Gives a site an active and an inactive plugin and theme, with pending updates. */
export function prepareSite(site: SimulatedSite): void {
  // Other plugins would only be read and stored at each call.
  for (const file of [...site.state.plugins.keys()]) if (file !== CHILD_PLUGIN) site.state.plugins.delete(file);
  for (const folder of ['alpha', 'beta']) {
    site.performWpAdminAction({ do: 'install-plugin', folder });
    site.performWpAdminAction({ do: 'release-plugin', plugin: `${folder}/${folder}.php`, version: '2.0.0' });
  }
  site.performWpAdminAction({ do: 'activate-plugin', plugin: ACTIVE_PLUGIN });
  site.state.themes.clear();
  for (const stylesheet of [FRESH_THEME, ACTIVE_THEME]) {
    const definition = { stylesheet, name: `The ${stylesheet}`, description: '', versions: ['1.0.0'], ageDays: 10 };
    site.state.themes.set(stylesheet, { definition, version: '1.0.0', update: '2.0.0' });
  }
  site.state.activeTheme = ACTIVE_THEME;
  // One update of each kind: more would only repeat the same calls.
  for (const [file, plugin] of site.state.plugins) if (file !== FRESH_PLUGIN) plugin.update = null;
  site.state.core.update ??= '99.0';
  const translation = {
    type: 'core',
    slug: 'default',
    language: 'de_DE',
    version: '99.0',
    name: 'WordPress core',
  } as const;
  site.state.translations.splice(0, Infinity, translation);
  site.touch();
}

/** Returns input with which the ability does its work on this site. */
export function inputOf({ name, fields, example }: Ability, site: SimulatedSite, id: number): Record<string, unknown> {
  const slug = name.includes('theme') ? FRESH_THEME : name.startsWith('deactivate') ? ACTIVE_PLUGIN : FRESH_PLUGIN;
  const known: Record<string, unknown> = {
    site_id_or_domain: id,
    site_ids_or_domains: [id],
    slugs: [slug],
    slug,
    confirm: true,
    url: site.url,
    admin: site.admin,
    admin_password: site.adminPassword,
  };
  const required = new Set(fields.required);
  return Object.fromEntries(
    Object.keys(fields.properties ?? {}).flatMap((field) =>
      field in known ? [[field, known[field]]] : required.has(field) ? [[field, example[field]]] : [],
    ),
  );
}

// Bodies differ by ability. Each is validated against the contract before.
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;

export interface AbilityResponse {
  status: number;
  body: Json;
}

/** Runs abilities on new sites and returns every response except status 500. */
export class AbilityBench {
  readonly world: World;
  readonly #authorization: string;
  #next = 0;

  private constructor(world: World, authorization: string) {
    this.world = world;
    this.#authorization = authorization;
  }

  static async start(options: WorldOptions): Promise<AbilityBench> {
    const world = await startWorld({ connect: 0, ...options });
    const { access } = world.container.services.access;
    const { id } = await access.createUser({ name: 'prober', role: 'administrator' }, 'test');
    const { password } = await access.addPassword(id, 'test', 'test');
    return new AbilityBench(world, `Basic ${Buffer.from(`prober:${password}`).toString('base64')}`);
  }

  /** Returns the index of a new site with plugins and themes. Connects the site unless `connect` is false. */
  async freshSite(connect = true): Promise<number> {
    const index = this.#next++;
    prepareSite(this.world.site(index));
    if (connect) await this.world.connect(index);
    return index;
  }

  async run({ name }: Pick<Ability, 'name'>, input: unknown): Promise<AbilityResponse> {
    const path = `/abilities/v1/svc/${name}/run`;
    const authorization = this.#authorization;
    const { status, body } = await this.world.agent('nobody').post(path).set({ authorization }).send({ input });
    checkResponse('POST', path, status, body);
    assert.notEqual(status, 500, JSON.stringify(body));
    return { status, body };
  }

  async call(ability: Ability, index: number): Promise<AbilityResponse> {
    const site = this.world.site(index);
    return this.run(ability, inputOf(ability, site, this.world.siteIds[index] ?? 0));
  }

  close(): Promise<void> {
    return this.world.close();
  }
}

/** Functions of the child that change nothing, or that the protocol lets a dashboard repeat (1.1). */
const REPEATABLE = new Set([
  'stats',
  'get_all_plugins',
  'get_all_themes',
  'check_abandoned',
  'register',
  'GET',
  'HEAD',
  '',
]);

/** Returns the request paths of each changing function since request `from`, by item for functions of one item. */
export function changingPaths(site: SimulatedSite, from: number): Record<string, string[]> {
  const paths: Record<string, string[]> = {};
  for (const { function: called, fields, path } of site.requests.slice(from)) {
    if (REPEATABLE.has(called)) continue;
    const name = [called, fields['type'], fields['list']].filter(Boolean).join(' ');
    (paths[name] ??= []).push(path);
  }
  return paths;
}

/** Returns the number of calls of each changing function. */
export function changingCalls(site: SimulatedSite, from: number): Record<string, number> {
  return Object.fromEntries(Object.entries(changingPaths(site, from)).map(([name, { length }]) => [name, length]));
}
