import type { Knex } from 'knex';
import { inTransaction } from '../../db/transaction.ts';
import type { Clock } from '../../shared/clock.ts';
import type { ChangeLog } from '../changes/index.ts';
import type { WatchedDomain } from './domain.ts';
import { changesBetween, isInRedemption, type DomainFacts } from './domain-facts.ts';
import type { LookupOutcome } from './domain-lookup.ts';
import { inUnicode } from './domain-name.ts';
import type { DomainNews } from './domain-news.ts';
import { DomainRepository } from './domain-repository.ts';
import { ProfileReadModel, type KnownProfile } from './profile-read-model.ts';

/** A look-up that came to something. */
export interface LookupReport {
  name: string;
  outcome: Exclude<LookupOutcome, { kind: 'put_off' }>;
  /** Of whoever has asked. */
  leaseUntil: number;
  /** Whose call it was; `system` for one of a schedule. */
  actor: string;
}

export interface DomainRecorderParts {
  knex: Knex;
  clock: Clock;
  changeLog: ChangeLog;
  news: DomainNews;
}

/**
 * Records look-ups. What one makes of its domain, the entries in the log of changes and the alerts that tell of it are
 * one transaction: a process that is killed loses the look-up, which is made again, and never one of the others.
 */
export class DomainRecorder {
  readonly #parts: DomainRecorderParts;

  constructor(parts: DomainRecorderParts) {
    this.#parts = parts;
  }

  /** The domain as it is now; as it was when the lease went to somebody else, and null when its row is gone. */
  record({ name, outcome, leaseUntil, actor }: LookupReport): Promise<WatchedDomain | null> {
    return inTransaction(this.#parts.knex, async ({ trx }) => {
      const domains = new DomainRepository(trx);
      const before = await domains.lock(name);
      if (!before || before.leaseUntil !== leaseUntil) return before;
      const after = lookedUp(before, outcome, this.#parts.clock.now());
      await domains.save(after);
      const profiles = await new ProfileReadModel(trx).ofDomain(name);
      if (before.facts && outcome.kind === 'found')
        await this.#log(trx, name, [before.facts, outcome.facts], profiles, actor);
      await this.#parts.news.tell(trx, profiles);
      return after;
    });
  }

  async #log(
    trx: Knex.Transaction,
    name: string,
    [before, after]: readonly [DomainFacts, DomainFacts],
    profiles: readonly KnownProfile[],
    actor: string,
  ): Promise<void> {
    const changes = changesBetween(before, after).flatMap(({ what, sentence, ...values }) =>
      profiles.map(({ site }) => ({
        siteId: site.id,
        type: `domain.${what}_changed`,
        description: `${inUnicode(name)}: ${sentence}`,
        actor,
        thing: {
          name: inUnicode(name),
          key: name,
          before: { [what]: values.before },
          after: { [what]: values.after },
        },
      })),
    );
    if (changes.length > 0) await this.#parts.changeLog.append(trx, ...changes);
  }
}

/** A look-up that failed leaves the facts as they are. That the registry does not know the domain is an answer, too. */
function lookedUp(before: WatchedDomain, outcome: LookupReport['outcome'], now: number): WatchedDomain {
  const asked = { ...before, askedAt: now, leaseUntil: null };
  if (outcome.kind === 'found') {
    const { facts, source } = outcome;
    const condition = isInRedemption(facts) ? 'redemption' : 'registered';
    return { ...asked, condition, facts, source, error: null, answeredAt: now };
  }
  const { code, message } = outcome.fault;
  return {
    ...asked,
    condition: code === 'unsupported_tld' ? 'unsupported_tld' : 'lookup_failed',
    error: { code, message },
    answeredAt: code === 'not_found' ? now : before.answeredAt,
  };
}
