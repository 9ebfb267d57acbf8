import { ALL_SITES } from '../../shared/site-scope.ts';
import type { Knex } from 'knex';
import { chunks } from '../../db/chunks.ts';
import type { Sealing } from '../../db/sealing.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { Outbound } from '../../outbound/outbound.ts';
import type { Schedule, CronTiming } from '../../platform/part.ts';
import {
  createUnvalidatedParser,
  defineJobKind,
  noInput,
  type JobKind,
  type NoInput,
  type Queue,
} from '../../queue/index.ts';
import type { Clock } from '../../shared/clock.ts';
import { DatabaseUnavailableError, DomainError } from '../../shared/errors.ts';
import { ConcurrencyLimiter } from '../../shared/concurrency-limiter.ts';
import { truncate } from '../../shared/text.ts';
import type { BackupService } from '../backups/index.ts';
import type { SiteList } from '../sites/index.ts';
import { AccountRepository } from './account-repository.ts';
import { newestTimeOf } from './response-readers.ts';
import { findProvider } from './accounts.ts';
import type { HostingInstance, Provider } from './provider.ts';
import { createApiClient } from './provider-client.ts';

export interface BackupCheckCounts {
  provider: string;
  matched: number;
  backedUp: number;
}

export const parseBackupCheckCounts = createUnvalidatedParser<BackupCheckCounts>();

export interface BackupCheckDeps {
  knex: Knex;
  sealing: Sealing;
  clock: Clock;
  queue: Queue;
  outbound: Pick<Outbound, 'request' | 'resolve'>;
  list: SiteList;
  backups: BackupService;
  timing: () => CronTiming;
  baseOf?: ((provider: Provider) => string | undefined) | undefined;
}

const CONCURRENT_LOOKUPS = 16;

interface KnownSite {
  id: number;
  url: string;
}

export class BackupCheck {
  readonly #deps: BackupCheckDeps;

  constructor(deps: BackupCheckDeps) {
    this.#deps = deps;
  }

  readonly job: JobKind<NoInput, BackupCheckCounts, 'other'> = defineJobKind({
    name: 'check-backups',
    about: 'other',
    input: noInput,
    result: parseBackupCheckCounts,
    whenCancelled: 'abort',
    retryPermission: null,
    perform: ({ subject, signal }) => this.#check(findProvider(String(subject)), signal),
  });

  readonly schedule: Schedule = {
    name: 'backup-check',
    module: 'api-backups',
    description: 'Reads the times of the last backups of the sites from the enabled backup providers.',
    timing: () => this.#deps.timing(),
    begin: async ({ scope, requestedBy }) => {
      const accounts = await this.#accounts(scope.trx).list();
      const items = accounts.filter(({ enabled }) => enabled).map(({ slug }) => ({ identifier: slug }));
      return this.#deps.queue.enqueueIfAny(scope, this.job, { input: {}, items, requestedBy });
    },
  };

  async #check(provider: Provider, signal: AbortSignal): Promise<BackupCheckCounts> {
    const { knex, clock } = this.#deps;
    const mark = (checkError: string | null): Promise<void> =>
      this.#accounts(knex).saveCheck(provider.slug, { checkedAt: clock.now(), checkError });
    try {
      const checked = await this.#fetchLatest(provider, signal);
      await mark(null);
      return checked;
    } catch (error) {
      if (error instanceof DomainError && !(error instanceof DatabaseUnavailableError) && !signal.aborted)
        await mark(truncate(error.message, 500));
      throw error;
    }
  }

  async #fetchLatest(provider: Provider, signal: AbortSignal): Promise<BackupCheckCounts> {
    const { knex, outbound, list, baseOf } = this.#deps;
    const accounts = this.#accounts(knex);
    const kept = await accounts.get(provider.slug);
    const account = { ...kept, secret: (await accounts.secret(provider.slug)) ?? '' };
    const base = baseOf?.(provider) ?? provider.base(account);
    const ask = createApiClient(base, { label: provider.label, outbound, signal });
    const held = await provider.listInstances(ask, account);
    const sites = await list.all(ALL_SITES, {});
    const places = held.some(({ addresses }) => addresses.length > 0)
      ? await this.#addressesOf(sites, signal)
      : new Map();
    const latest = new Map<number, number | null>();
    for (const one of held) {
      const matched = sites.filter((site) => isHostedOn(one, site, places.get(site.id) as string | undefined));
      if (matched.length === 0) continue;
      const takenAt = await one.latestBackup();
      for (const { id } of matched) latest.set(id, newestTimeOf([latest.get(id) ?? null, takenAt]));
    }
    const backedUp = await this.#record(provider, latest);
    return { provider: provider.slug, matched: latest.size, backedUp };
  }

  async #record(provider: Provider, latest: ReadonlyMap<number, number | null>): Promise<number> {
    const { knex, backups, clock } = this.#deps;
    const now = clock.now();
    const taken = [...latest].flatMap(([siteId, takenAt]): [number, number][] =>
      // The clock of a provider may be ahead of ours, so a time in the future counts as now.
      takenAt === null ? [] : [[siteId, Math.min(takenAt, now)]],
    );
    for (const chunk of chunks(taken))
      await inTransaction(knex, ({ trx }) => backups.record(trx, provider.slug, new Map(chunk)));
    return taken.length;
  }

  /** A failed lookup gives an empty address, which matches no server. */
  async #addressesOf(sites: readonly KnownSite[], signal: AbortSignal): Promise<Map<number, string>> {
    const limiter = new ConcurrencyLimiter(CONCURRENT_LOOKUPS);
    const look = async ({ id, url }: KnownSite): Promise<[number, string]> => {
      signal.throwIfAborted();
      const address = await this.#deps.outbound.resolve(url).then(
        (resolved) => resolved.address,
        () => '',
      );
      return [id, address];
    };
    return new Map(await Promise.all(sites.map((site) => limiter.run(() => look(site)))));
  }

  #accounts(db: Knex): AccountRepository {
    return new AccountRepository(db, this.#deps.sealing);
  }
}

const bareHost = (host: string): string => host.toLowerCase().replace(/^www\./, '');

function isHostedOn({ addresses, hosts }: HostingInstance, { url }: KnownSite, address = ''): boolean {
  if (address !== '' && addresses.includes(address)) return true;
  const host = bareHost(new URL(url).hostname);
  return hosts.some((name) => bareHost(name) === host);
}
