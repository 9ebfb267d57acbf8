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
  resultWithErrors,
  type ItemResult,
  type JobKind,
  type NoInput,
  type Queue,
} from '../../queue/index.ts';
import type { Clock } from '../../shared/clock.ts';
import { BackupProviderError, DatabaseUnavailableError, DomainError } from '../../shared/errors.ts';
import { ConcurrencyLimiter } from '../../shared/concurrency-limiter.ts';
import { mapInTurns } from '../../shared/event-loop.ts';
import { truncate } from '../../shared/text.ts';
import type { BackupService } from '../backups/index.ts';
import type { SiteList } from '../sites/index.ts';
import { AccountRepository } from './account-repository.ts';
import { findProvider } from './accounts.ts';
import { HostedSites, type HostedSite } from './hosted-sites.ts';
import type { HostingInstance, Provider } from './provider.ts';
import { createApiClient, ProviderUnavailableError } from './provider-client.ts';

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
/** Number of requests without an answer in a row after which a run ends. */
const MOST_UNANSWERED = 3;

interface Hosting {
  instance: HostingInstance;
  siteIds: ReadonlySet<number>;
}

interface ProviderReading {
  counts: BackupCheckCounts;
  /** Number of servers whose backups could be read. */
  read: number;
  error: BackupProviderError | null;
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

  async #check(provider: Provider, signal: AbortSignal): Promise<ItemResult<BackupCheckCounts>> {
    const { knex, clock } = this.#deps;
    const mark = (error: DomainError | null): Promise<void> =>
      this.#accounts(knex).saveCheck(provider.slug, {
        checkedAt: clock.now(),
        checkError: error && truncate(error.message, 500),
      });
    try {
      const { counts, read, error } = await this.#readBackups(provider, signal);
      await mark(error);
      return resultWithErrors(counts, read, error ? [error] : []);
    } catch (error) {
      if (error instanceof DomainError && !(error instanceof DatabaseUnavailableError) && !signal.aborted)
        await mark(error);
      throw error;
    }
  }

  /** Stores the time of each server at once, so that an error of a later one does not lose it. */
  async #readBackups(provider: Provider, signal: AbortSignal): Promise<ProviderReading> {
    const hosting = await this.#hosting(provider, signal);
    const matched = new Set(hosting.flatMap(({ siteIds }) => [...siteIds]));
    const backedUp = new Set<number>();
    let read = 0;
    let firstError: BackupProviderError | null = null;
    let unansweredInARow = 0;
    for (const { instance, siteIds } of startingAnywhere(hosting))
      try {
        const takenAt = await instance.latestBackup();
        read++;
        unansweredInARow = 0;
        if (takenAt === null) continue;
        await this.#record(provider, [...siteIds], takenAt);
        for (const id of siteIds) backedUp.add(id);
      } catch (error) {
        if (!(error instanceof BackupProviderError)) throw error;
        firstError ??= error;
        // Each further request could wait for its whole deadline.
        unansweredInARow = error.cause === undefined ? 0 : unansweredInARow + 1;
        if (error instanceof ProviderUnavailableError || unansweredInARow === MOST_UNANSWERED) break;
      }
    const counts = { provider: provider.slug, matched: matched.size, backedUp: backedUp.size };
    return { counts, read, error: firstError };
  }

  /** Returns the servers that have sites of this service. */
  async #hosting(provider: Provider, signal: AbortSignal): Promise<Hosting[]> {
    const { knex, outbound, clock, list, baseOf } = this.#deps;
    const accounts = this.#accounts(knex);
    const kept = await accounts.get(provider.slug);
    const account = { ...kept, secret: (await accounts.secret(provider.slug)) ?? '' };
    const base = baseOf?.(provider) ?? provider.base(account);
    const ask = createApiClient(base, { label: provider.label, outbound, clock, signal });
    const instances = await provider.listInstances(ask, account);
    const sites = await list.all(ALL_SITES, {});
    const places = instances.some(({ addresses }) => addresses.length > 0)
      ? await this.#addressesOf(sites, signal)
      : new Map<number, string>();
    const hosted = await HostedSites.from(sites, places);
    const hosting = await mapInTurns(instances, (instance) => ({ instance, siteIds: hosted.on(instance) }));
    return hosting.filter(({ siteIds }) => siteIds.size > 0);
  }

  async #record(provider: Provider, siteIds: readonly number[], takenAt: number): Promise<void> {
    const { knex, backups, clock } = this.#deps;
    // The clock of a provider may be ahead of ours, so a time in the future counts as now.
    const at = Math.min(takenAt, clock.now());
    for (const ids of chunks(siteIds))
      await inTransaction(knex, ({ trx }) =>
        backups.record(trx, provider.slug, new Map(ids.map((id) => [id, at] as const))),
      );
  }

  /** A failed lookup gives an empty address, which matches no server. */
  async #addressesOf(sites: readonly HostedSite[], signal: AbortSignal): Promise<Map<number, string>> {
    const limiter = new ConcurrencyLimiter(CONCURRENT_LOOKUPS);
    const look = async ({ id, url }: HostedSite): Promise<[number, string]> => {
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

/** Begins at a random server, so that a limit of the provider does not always keep the same ones from being read. */
function startingAnywhere(hosting: readonly Hosting[]): Hosting[] {
  const first = Math.floor(Math.random() * hosting.length);
  return [...hosting.slice(first), ...hosting.slice(0, first)];
}
