import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Lease } from '../../src/db/lease.ts';
import type { SimulatedSite } from '../../src/sandbox/index.ts';
import { steadyNow } from '../../src/sandbox/request-log.ts';
import { randomFrom, type Random } from '../../src/sandbox/state/random.ts';
import { ALPHA, BETA, GAMMA, installPluginsInMixedStates } from '../support/inventory.ts';
import { eventually } from '../support/until.ts';
import { startSecondService, type SecondService } from '../support/second-service.ts';
import { FeedServer, osvRecord, refreshFeeds, useOsvFeeds } from '../support/vulnerabilities.ts';
import { startWorld, type World } from '../support/world.ts';

const PLUGINS = [ALPHA, BETA, GAMMA];
const SITES = 4;
/** The last version of alpha that is vulnerable. */
const VULNERABLE = '1.0.0';

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

/** One process of the service: where it is called, and its objects. */
type Service = Pick<World, 'url' | 'container'>;

interface RaceOptions {
  /**
   * 2 runs two instances of the service on one database, each with its own address, scheduler and leases. They share
   * this process, because the test delays the storing of reports in both. Needs MariaDB.
   */
  services?: 1 | 2;
}

interface PluginState {
  active: boolean;
  version: string;
}

type Plugins = Record<string, PluginState>;

/**
 * Runs two to four operations on one site at once, with random delays, refusals and lost responses at the child. When
 * all is quiet, and before another sync, the record must say what the child says, the change log has one entry for
 * each change that is proven, and exposures and alerts are right in number.
 */
export class SiteRaces {
  readonly #world: World;
  readonly #services: readonly Service[];
  readonly #second: SecondService | null;
  /** Draws the time between the receipt of a report and its storing, by site. */
  readonly #storingMs = new Map<number, () => number>();
  /** True if an update had marked the site as broken, by the index of the site, in its last round. */
  readonly #wasMarked = new Map<number, boolean>();

  private constructor(world: World, second: SecondService | null) {
    this.#world = world;
    this.#second = second;
    this.#services = second ? [world, second] : [world];
    for (const { container } of this.#services) {
      const { sync } = container.services.sites;
      const store = sync.store.bind(sync);
      sync.store = async (site, ...rest) => {
        await sleep(this.#storingMs.get(site.id)?.() ?? 0);
        return store(site, ...rest);
      };
    }
  }

  static async start({ services = 1 }: RaceOptions = {}): Promise<SiteRaces> {
    // The lease outlasts a machine that stands still: these rounds are not about leases that end.
    const env = { SITEFLEET_SECRET_KEY: randomBytes(32).toString('base64'), SITEFLEET_LEASE: '3600' };
    const world = await startWorld({ sites: SITES, fleet: { requestLog: 2000 }, env });
    const feed = await FeedServer.start();
    feed.content = [osvRecord('alpha', '1.0.1')];
    await useOsvFeeds(world, feed.url);
    await refreshFeeds(world);
    await feed.close();
    return new SiteRaces(world, services === 2 ? await startSecondService(world, env) : null);
  }

  async close(): Promise<void> {
    await this.#second?.close();
    await this.#world.close();
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
    const counted = await this.#exposures(id);
    const wasMarked = (this.#wasMarked.get(index) ?? false) || (await this.#isMarked(id));
    site.requests.length = 0;
    const operations = Array.from({ length: random.between(2, 4) }, () => random.pick(OPERATIONS));
    addFaults(site, random);
    const late = randomFrom(seed, 1);
    this.#storingMs.set(id, () => (late.chance(0.5) ? late.between(1, 60) : 0));
    const outcomes = await Promise.all(
      operations.map(async (operation) => {
        const delay = random.between(0, 25);
        await sleep(delay);
        return this.#perform(operation, id, this.#services[random.between(0, this.#services.length - 1)]);
      }),
    );
    await this.#quiet();
    this.#storingMs.delete(id);
    const isMarked = await this.#isMarked(id);
    this.#wasMarked.set(index, isMarked);
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
        counted,
        requests: [...site.requests],
        readsHealth: wasMarked || isMarked,
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
      counted: Exposures;
      requests: SimulatedSite['requests'];
      readsHealth: boolean;
    },
  ): Promise<void> {
    const { knex } = this.#world.container.database;
    const site = this.#world.site(index);
    const { operations, outcomes, before, logged, counted, requests, readsHealth } = round;
    const row = await knex('sites').where({ id }).first<{ status: string } | undefined>('status');
    const status = row?.status ?? 'deleted';
    const possible = statusesAfter(operations, outcomes);
    assert.ok(possible.has(status), `The site is ${status}; possible: ${[...possible].join(', ')}.`);
    this.#assertNoCallAfter(outcomes, requests);
    // A check of a site that an update broke reads its state. Like other reads, it does not wait for its turn.
    assertOneAfterAnother(requests, readsHealth ? ['stats'] : []);
    // The proof of a change may be missing if the response was lost or the site could not be asked any more.
    const isUnknown = outcomes.some(
      ({ body, status: code }) => code >= 500 || /svc_outcome_unknown|svc_site_/.test(body),
    );
    if (status === 'deleted' || isUnknown) return;
    const after = pluginsOf(site);
    assert.deepEqual(await this.#stored(id), after, 'the record differs from the child');
    const isExposed = after[ALPHA]?.version === VULNERABLE;
    assert.deepEqual(await this.#exposures(id), { ...counted, open: Number(isExposed) }, 'exposures and alerts');
    for (const slug of PLUGINS) {
      const types = await knex('changes')
        .where({ site_id: id, object_key: slug, source: 'dashboard' })
        .where('id', '>', logged)
        .pluck<string[]>('type');
      const isUpdated = before[slug]?.version !== after[slug]?.version;
      const count = (name: string): number => types.filter((type) => type === name).length;
      assert.equal(count('plugin.updated'), Number(isUpdated), `updates of ${slug}`);
      const [wasActive, isActive] = [before[slug]?.active, after[slug]?.active];
      assert.equal(count('plugin.activated'), Number(!wasActive && isActive), `activations of ${slug}`);
      assert.equal(count('plugin.deactivated'), Number(wasActive && !isActive), `deactivations of ${slug}`);
    }
    if (status !== 'connected') return;
    site.faultQueue.length = 0;
    const { status: synced, body } = await this.#call('sync-sites-v1', { site_ids_or_domains: [id] });
    assert.ok(synced === 200 && (JSON.parse(body) as { total_synced: number }).total_synced === 1, `sync: ${body}`);
  }

  /**
   * A suspended or disconnected site is not called, unless another operation may connect it again. Each process may
   * have one call that was admitted before and is still on its way.
   */
  #assertNoCallAfter(outcomes: Outcome[], requests: SimulatedSite['requests']): void {
    const over = outcomes.find(({ operation, status }) => isEnd(operation) && status === 200);
    if (!over || outcomes.some(({ operation }) => isBeginning(operation))) return;
    const late = requests.filter(({ signed, at }) => signed && at > over.endedAt).map(({ function: name }) => name);
    // A refused call asks for the reason with this function, in the same turn.
    const begun = new Set(late.filter((name) => name !== 'get_all_plugins'));
    assert.ok(begun.size <= this.#services.length, `calls after ${over.operation}: ${late.join(', ')}`);
  }

  async #isMarked(siteId: number): Promise<boolean> {
    const row = await this.#world.container.database
      .knex('site_states')
      .where({ site_id: siteId })
      .whereNotNull('broken_by_update')
      .first<object | undefined>('site_id');
    return row !== undefined;
  }

  /** Counts the exposures and their alerts. An exposure that was opened again has a second alert. */
  async #exposures(id: number): Promise<Exposures> {
    const { knex } = this.#world.container.database;
    const count = async (table: string, where: object): Promise<number> => {
      const [row] = await knex(table)
        .where({ site_id: id, ...where })
        .count<{ n: number }[]>({ n: '*' });
      return Number(row?.n);
    };
    return {
      open: await count('exposures', { lasting: 1 }),
      all: await count('exposures', {}),
      alerts: await count('alerts', { type: 'vulnerability' }),
    };
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

  async #perform(operation: Operation, id: number, service: Service = this.#world): Promise<Outcome> {
    const { renewal } = service.container.services.sites;
    const site = { site_id_or_domain: id };
    const run = async (): Promise<{ status: number; body: string }> => {
      switch (operation) {
        case 'sync':
          return this.#call('sync-sites-v1', { site_ids_or_domains: [id] }, service);
        case 'update':
          return this.#call('run-updates-v1', { site_ids_or_domains: [id], types: ['plugins'] }, service);
        case 'activate':
          return this.#call('activate-site-plugins-v1', { ...site, slugs: [BETA] }, service);
        case 'deactivate':
          return this.#call('deactivate-site-plugins-v1', { ...site, slugs: [GAMMA] }, service);
        case 'edit':
          return this.#call('update-site-v1', { ...site, notes: 'Edited.' }, service);
        case 'check':
          return this.#call('check-site-v1', site, service);
        case 'delete':
          return this.#call('delete-site-v1', { ...site, confirm: true }, service);
        case 'renew':
          return renewal.renew(id, 'test', Date.now() + 60_000, ALWAYS_LEASED).then(
            () => ({ status: 200, body: '' }),
            (error: { status?: number; code?: string }) => ({ status: error.status ?? 500, body: String(error.code) }),
          );
        default:
          return this.#call(`${operation}-site-v1`, site, service);
      }
    };
    const { status, body } = await run();
    return { operation, status, body, endedAt: steadyNow() };
  }

  async #call(
    name: string,
    input: object,
    { url }: Pick<Service, 'url'> = this.#world,
  ): Promise<{ status: number; body: string }> {
    const authorization = this.#world.authorizations.admin ?? '';
    const response = await fetch(new URL(`/abilities/v1/svc/${name}/run`, url), {
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

interface Exposures {
  open: number;
  all: number;
  alerts: number;
}

/** The site has one call at a time, over all processes, apart from `reads`. */
function assertOneAfterAnother(requests: SimulatedSite['requests'], reads: readonly string[]): void {
  const calls = requests.filter(
    ({ signed, function: name }) => (signed || name === 'register') && !reads.includes(name),
  );
  for (const [index, { at, function: name }] of calls.entries())
    for (const earlier of calls.slice(0, index))
      assert.ok(
        at >= (earlier.finishedAt ?? Infinity),
        `${name} began during ${earlier.function}: ${calls.map(timesOf).join(', ')}`,
      );
}

const timesOf = ({ function: name, at, finishedAt, path }: SimulatedSite['requests'][number]): string =>
  `${name} at ${path} from ${at} to ${finishedAt}`;

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
