import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Lease } from '../../src/db/lease.ts';
import type { SimulatedSite } from '../../src/sandbox/index.ts';
import { randomFrom, type Random } from '../../src/sandbox/state/random.ts';
import { ALPHA, BETA, GAMMA, installPluginsInMixedStates } from '../support/inventory.ts';
import { eventually } from '../support/until.ts';
import { startWorld, type World } from '../support/world.ts';

const PLUGINS = [ALPHA, BETA, GAMMA];
const SITES = 4;
/** Time between the commit of a status and the first byte of a call that was admitted before. */
const SENDING_MS = 100;

type Operation =
  | 'sync'
  | 'update'
  | 'activate'
  | 'deactivate'
  | 'edit'
  | 'check'
  | 'suspend'
  | 'unsuspend'
  | 'disconnect'
  | 'reconnect'
  | 'renew'
  | 'delete';

const OPERATIONS: readonly Operation[] = [
  ...(['sync', 'sync', 'sync', 'update', 'update', 'activate', 'deactivate', 'edit', 'check'] as const),
  ...(['suspend', 'unsuspend', 'disconnect', 'reconnect', 'reconnect', 'renew', 'renew', 'delete'] as const),
];

const ALWAYS_LEASED: Lease = { confirm: () => Promise.resolve(() => true), lock: () => Promise.resolve() };

interface Outcome {
  operation: Operation;
  status: number;
  body: string;
  endedAt: number;
}

interface PluginState {
  active: boolean;
  version: string;
}

type Plugins = Record<string, PluginState>;

/**
 * Runs two to four operations on one site at once, with random delays, refusals and lost responses at the child. When
 * all is quiet, and before another sync, the record must say what the child says.
 */
export class SiteRaces {
  readonly #world: World;
  /** Draws the time between the receipt of a report and its storing, by site. */
  readonly #storingMs = new Map<number, () => number>();

  private constructor(world: World) {
    this.#world = world;
    const { sync } = world.container.services.sites;
    const store = sync.store.bind(sync);
    sync.store = async (site, ...rest) => {
      await sleep(this.#storingMs.get(site.id)?.() ?? 0);
      return store(site, ...rest);
    };
  }

  static async start(): Promise<SiteRaces> {
    const world = await startWorld({ sites: SITES, fleet: { requestLog: 2000 } });
    return new SiteRaces(world);
  }

  close(): Promise<void> {
    return this.#world.close();
  }

  /** Runs rounds with consecutive seeds. Throws with the seed of the first round that finds a contradiction. */
  async run(rounds: number, seed: number): Promise<void> {
    let next = seed;
    const lane = async (index: number): Promise<void> => {
      while (next < seed + rounds) {
        const ofRound = next++;
        await this.#round(index, ofRound).catch((error: unknown) => {
          next = Infinity;
          throw new Error(`Seed ${ofRound}: ${error instanceof Error ? error.message : String(error)}`, {
            cause: error,
          });
        });
      }
    };
    await Promise.all(Array.from({ length: SITES }, (_, index) => lane(index)));
  }

  async #round(index: number, seed: number): Promise<void> {
    const random = randomFrom(seed, 0);
    const site = this.#world.site(index);
    const id = await this.#prepare(index);
    const before = pluginsOf(site);
    const logged = await this.#lastChange();
    const firstRequest = site.requests.length;
    const operations = Array.from({ length: random.between(2, 4) }, () => random.pick(OPERATIONS));
    addFaults(site, random);
    const late = randomFrom(seed, 1);
    this.#storingMs.set(id, () => (late.chance(0.5) ? late.between(1, 60) : 0));
    const outcomes = await Promise.all(
      operations.map(async (operation) => {
        const delay = random.between(0, 25);
        await sleep(delay);
        return this.#perform(operation, id);
      }),
    );
    await this.#quiet();
    this.#storingMs.delete(id);
    const told = outcomes
      .map(({ operation, status, body }) => `${operation} ${status} ${body.slice(0, 300)}`)
      .join('\n');
    try {
      for (const { status } of outcomes) assert.notEqual(status, 500);
      await this.#compare(index, id, {
        operations,
        outcomes,
        before,
        logged,
        requests: site.requests.slice(firstRequest),
      });
    } catch (error) {
      throw new Error(`${error instanceof Error ? error.message : String(error)}\n${told}`, { cause: error });
    }
  }

  async #compare(
    index: number,
    id: number,
    round: {
      operations: Operation[];
      outcomes: Outcome[];
      before: Plugins;
      logged: number;
      requests: SimulatedSite['requests'];
    },
  ): Promise<void> {
    const { knex } = this.#world.container.database;
    const site = this.#world.site(index);
    const { operations, outcomes, before, logged, requests } = round;
    const row = await knex('sites').where({ id }).first<{ status: string } | undefined>('status');
    const status = row?.status ?? 'deleted';
    const possible = statusesAfter(operations, outcomes);
    assert.ok(possible.has(status), `The site is ${status}; possible: ${[...possible].join(', ')}.`);
    this.#assertNoCallAfter(outcomes, requests);
    // The proof of a change may be missing if the response was lost or the site could not be asked any more.
    const isUnknown = outcomes.some(
      ({ body, status: code }) => code >= 500 || /svc_outcome_unknown|svc_site_/.test(body),
    );
    if (status === 'deleted' || isUnknown) return;
    const after = pluginsOf(site);
    assert.deepEqual(await this.#stored(id), after, 'the record differs from the child');
    for (const slug of PLUGINS) {
      const types = await knex('changes')
        .where({ site_id: id, object_key: slug, source: 'dashboard' })
        .where('id', '>', logged)
        .pluck<string[]>('type');
      const isUpdated = before[slug]?.version !== after[slug]?.version;
      assert.equal(types.filter((type) => type === 'plugin.updated').length, Number(isUpdated), `updates of ${slug}`);
    }
    if (status !== 'connected') return;
    site.faultQueue.length = 0;
    const { status: synced, body } = await this.#call('sync-sites-v1', { site_ids_or_domains: [id] });
    assert.ok(synced === 200 && (JSON.parse(body) as { total_synced: number }).total_synced === 1, `sync: ${body}`);
  }

  /** A suspended or disconnected site is not called, unless another operation may connect it again. */
  #assertNoCallAfter(outcomes: Outcome[], requests: SimulatedSite['requests']): void {
    const over = outcomes.find(({ operation, status }) => isEnd(operation) && status === 200);
    if (!over || outcomes.some(({ operation }) => isBeginning(operation))) return;
    const late = requests.filter(({ signed, at }) => signed && at > over.endedAt + SENDING_MS);
    assert.deepEqual(
      late.map(({ function: name }) => name),
      [],
      `calls after ${over.operation}`,
    );
  }

  async #stored(id: number): Promise<Plugins> {
    const rows = await this.#world.container.database
      .knex('site_plugins')
      .where({ site_id: id })
      .whereIn('slug', PLUGINS)
      .select<{ slug: string; active: number; version: string }[]>('slug', 'active', 'version');
    return inOrder(rows.map(({ slug, active, version }) => [slug, { active: active === 1, version }]));
  }

  /** Returns the ID of a connected site whose record equals the child. */
  async #prepare(index: number): Promise<number> {
    const site = this.#world.site(index);
    site.faultQueue.length = 0;
    site.latencyMs = 0;
    installPluginsInMixedStates(site);
    site.performWpAdminAction({ do: 'release-plugin', plugin: ALPHA, version: '3.0.0' });
    let id = this.#world.siteId(index);
    const { knex } = this.#world.container.database;
    const row = await knex('sites').where({ id }).first<{ status: string } | undefined>('status');
    if (!row) {
      if (!site.state.childActive) site.performWpAdminAction({ do: 'activate-child' });
      site.loseKey();
      id = await this.#world.connect(index);
    } else {
      await this.#call('unsuspend-site-v1', { site_id_or_domain: id });
      site.loseKey();
      const { adminPassword: admin_password } = site;
      const { status, body } = await this.#call('reconnect-site-v1', { site_id_or_domain: id, admin_password });
      assert.equal(status, 200, `preparation: ${body}`);
    }
    await this.#call('sync-sites-v1', { site_ids_or_domains: [id] });
    return id;
  }

  async #perform(operation: Operation, id: number): Promise<Outcome> {
    const { renewal } = this.#world.container.services.sites;
    const site = { site_id_or_domain: id };
    const run = async (): Promise<{ status: number; body: string }> => {
      switch (operation) {
        case 'sync':
          return this.#call('sync-sites-v1', { site_ids_or_domains: [id] });
        case 'update':
          return this.#call('run-updates-v1', { site_ids_or_domains: [id], types: ['plugins'] });
        case 'activate':
          return this.#call('activate-site-plugins-v1', { ...site, slugs: [BETA] });
        case 'deactivate':
          return this.#call('deactivate-site-plugins-v1', { ...site, slugs: [GAMMA] });
        case 'edit':
          return this.#call('update-site-v1', { ...site, notes: 'Edited.' });
        case 'check':
          return this.#call('check-site-v1', site);
        case 'delete':
          return this.#call('delete-site-v1', { ...site, confirm: true });
        case 'renew':
          return renewal.renew(id, 'test', Date.now() + 60_000, ALWAYS_LEASED).then(
            () => ({ status: 200, body: '' }),
            (error: { status?: number; code?: string }) => ({ status: error.status ?? 500, body: String(error.code) }),
          );
        default:
          return this.#call(`${operation}-site-v1`, site);
      }
    };
    const { status, body } = await run();
    return { operation, status, body, endedAt: Date.now() };
  }

  async #call(name: string, input: object): Promise<{ status: number; body: string }> {
    const authorization = this.#world.authorizations.admin ?? '';
    const response = await fetch(new URL(`/abilities/v1/svc/${name}/run`, this.#world.url), {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ input }),
    });
    return { status: response.status, body: await response.text() };
  }

  async #lastChange(): Promise<number> {
    const row = await this.#world.container.database.knex('changes').max<{ id: number | null }[]>({ id: 'id' });
    return Number(row[0]?.id ?? 0);
  }

  async #quiet(): Promise<void> {
    const { knex } = this.#world.container.database;
    await eventually(async () => {
      const [row] = await knex('jobs').whereNull('completed_at').count<{ n: number }[]>({ n: '*' });
      return Number(row?.n) === 0;
    }, 'the end of all jobs');
  }
}

const isEnd = (operation: Operation): boolean => operation === 'suspend' || operation === 'disconnect';
const isBeginning = (operation: Operation): boolean =>
  operation === 'unsuspend' || operation === 'reconnect' || operation === 'delete';

function addFaults(site: SimulatedSite, random: Random): void {
  site.latencyMs = random.between(0, 6);
  for (const name of ['stats', 'register', 'plugin_action', 'upgradeplugintheme']) {
    if (random.chance(0.4)) site.faultQueue.push({ kind: 'delay', ms: random.between(1, 40), function: name });
    if (random.chance(0.4)) site.faultQueue.push({ kind: 'late', ms: random.between(1, 40), function: name });
    if (random.chance(0.05)) site.faultQueue.push({ kind: 'fatal', when: 'after', function: name, times: 2 });
    if (random.chance(0.05)) site.faultQueue.push({ kind: 'refuse', function: name, times: 2 });
  }
}

const inOrder = (entries: [string, PluginState][]): Plugins =>
  Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));

function pluginsOf({ state }: SimulatedSite): Plugins {
  return inOrder(
    PLUGINS.flatMap((slug) => {
      const plugin = state.plugins.get(slug);
      return plugin ? [[slug, { active: plugin.active, version: plugin.version }] as [string, PluginState]] : [];
    }),
  );
}

/** Returns the statuses that some order of the operations gives. One that failed may have had its effect or not. */
function statusesAfter(operations: readonly Operation[], outcomes: readonly Outcome[]): Set<string> {
  const reached = new Set<string>();
  const visit = (status: string, left: readonly number[]): void => {
    if (left.length === 0) reached.add(status);
    for (const at of left) {
      const rest = left.filter((other) => other !== at);
      const operation = operations[at] ?? 'sync';
      visit(statusAfter(operation, status), rest);
      if (outcomes[at]?.status !== 200) visit(status, rest);
    }
  };
  visit(
    'connected',
    operations.map((_, at) => at),
  );
  return reached;
}

function statusAfter(operation: Operation, status: string): string {
  if (status === 'deleted' || operation === 'delete') return 'deleted';
  switch (operation) {
    case 'suspend':
      return 'suspended';
    case 'unsuspend':
      return status === 'suspended' ? 'connected' : status;
    case 'disconnect':
      return 'disconnected';
    case 'reconnect':
      return status === 'suspended' ? status : 'connected';
    default:
      return status;
  }
}
