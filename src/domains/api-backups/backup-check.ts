import type { Knex } from 'knex';
import { chunks } from '../../db/chunks.ts';
import type { Sealing } from '../../db/sealing.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { Outbound } from '../../outbound/outbound.ts';
import type { Schedule, Timing } from '../../platform/part.ts';
import { asWritten, jobKind, noInput, type JobKind, type NoInput, type Queue } from '../../queue/index.ts';
import type { Clock } from '../../shared/clock.ts';
import { DomainError } from '../../shared/errors.ts';
import { Limiter } from '../../shared/limiter.ts';
import { cut } from '../../shared/text.ts';
import type { Backups } from '../backups/index.ts';
import type { SiteList } from '../sites/index.ts';
import { AccountRepository } from './account-repository.ts';
import { newestOf } from './answers.ts';
import { providerOf } from './accounts.ts';
import type { BackedUp, Provider } from './provider.ts';
import { askBelow } from './provider-client.ts';

export interface CheckedProvider {
  provider: string;
  /** Number of sites on servers that the provider backs up. */
  matched: number;
  /** Number of matched sites that have a backup. */
  backedUp: number;
}

export const checkedProvider = asWritten<CheckedProvider>();

export interface BackupCheckParts {
  knex: Knex;
  sealing: Sealing;
  clock: Clock;
  queue: Queue;
  outbound: Pick<Outbound, 'request' | 'resolve'>;
  list: SiteList;
  backups: Backups;
  timing: () => Timing;
  /** Overrides the base URL of a provider's API in tests. */
  baseOf?: ((provider: Provider) => string | undefined) | undefined;
}

/** Number of concurrent DNS lookups. */
const LOOKUPS = 16;

interface KnownSite {
  id: number;
  url: string;
}

/** Reads the time of the last backup of our sites from each enabled provider. */
export class BackupCheck {
  readonly #parts: BackupCheckParts;

  constructor(parts: BackupCheckParts) {
    this.#parts = parts;
  }

  readonly job: JobKind<NoInput, CheckedProvider, 'other'> = jobKind({
    name: 'check-backups',
    about: 'other',
    input: noInput,
    result: checkedProvider,
    whenCancelled: 'abort',
    perform: ({ subject, signal }) => this.#check(providerOf(String(subject)), signal),
  });

  readonly schedule: Schedule = {
    name: 'backup-check',
    module: 'api-backups',
    description: 'Asks the backup providers that are switched on when they last backed up the sites.',
    timing: () => this.#parts.timing(),
    begin: async ({ scope, requestedBy }) => {
      const accounts = await this.#accounts(scope.trx).list();
      const items = accounts.filter(({ enabled }) => enabled).map(({ slug }) => ({ identifier: slug }));
      return this.#parts.queue.enqueueIfAny(scope, this.job, { input: {}, items, requestedBy });
    },
  };

  async #check(provider: Provider, signal: AbortSignal): Promise<CheckedProvider> {
    const { knex, clock } = this.#parts;
    const mark = (checkError: string | null): Promise<void> =>
      this.#accounts(knex).mark(provider.slug, { checkedAt: clock.now(), checkError });
    try {
      const checked = await this.#ask(provider, signal);
      await mark(null);
      return checked;
    } catch (error) {
      if (error instanceof DomainError && !signal.aborted) await mark(cut(error.message, 500));
      throw error;
    }
  }

  async #ask(provider: Provider, signal: AbortSignal): Promise<CheckedProvider> {
    const { knex, outbound, list, baseOf } = this.#parts;
    const accounts = this.#accounts(knex);
    const kept = await accounts.get(provider.slug);
    const account = { ...kept, secret: (await accounts.secret(provider.slug)) ?? '' };
    const base = baseOf?.(provider) ?? provider.base(account);
    const ask = askBelow(base, { label: provider.label, outbound, signal });
    const held = await provider.backedUp(ask, account);
    const sites = await list.all({});
    const places = held.some(({ addresses }) => addresses.length > 0)
      ? await this.#addressesOf(sites, signal)
      : new Map();
    const latest = new Map<number, number | null>();
    for (const one of held) {
      const matched = sites.filter((site) => isOn(one, site, places.get(site.id) as string | undefined));
      // Backups are requested only for servers that host one of our sites.
      if (matched.length === 0) continue;
      const takenAt = await one.latestBackup();
      for (const { id } of matched) latest.set(id, newestOf([latest.get(id) ?? null, takenAt]));
    }
    const backedUp = await this.#record(provider, latest);
    return { provider: provider.slug, matched: latest.size, backedUp };
  }

  async #record(provider: Provider, latest: ReadonlyMap<number, number | null>): Promise<number> {
    const { knex, backups, clock } = this.#parts;
    const now = clock.now();
    const taken = [...latest].flatMap(([siteId, takenAt]): [number, number][] =>
      // The clock of a provider may be ahead of ours.
      takenAt === null ? [] : [[siteId, Math.min(takenAt, now)]],
    );
    for (const chunk of chunks(taken))
      await inTransaction(knex, ({ trx }) => backups.record(trx, provider.slug, new Map(chunk)));
    return taken.length;
  }

  /** Resolves the host names of the sites. A failed lookup returns an empty address, which matches no server. */
  async #addressesOf(sites: readonly KnownSite[], signal: AbortSignal): Promise<Map<number, string>> {
    const limiter = new Limiter(LOOKUPS);
    const look = async ({ id, url }: KnownSite): Promise<[number, string]> => {
      signal.throwIfAborted();
      const address = await this.#parts.outbound.resolve(url).then(
        (resolved) => resolved.address,
        () => '',
      );
      return [id, address];
    };
    return new Map(await Promise.all(sites.map((site) => limiter.run(() => look(site)))));
  }

  #accounts(db: Knex): AccountRepository {
    return new AccountRepository(db, this.#parts.sealing);
  }
}

const bare = (host: string): string => host.toLowerCase().replace(/^www\./, '');

/** True if the site's host name resolves to the server, or if the server lists this host name. */
function isOn({ addresses, hosts }: BackedUp, { url }: KnownSite, address = ''): boolean {
  if (address !== '' && addresses.includes(address)) return true;
  const host = bare(new URL(url).hostname);
  return hosts.some((name) => bare(name) === host);
}
