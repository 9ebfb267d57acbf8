import type { Knex } from 'knex';
import { inTransaction } from '../../db/transaction.ts';
import type { Clock } from '../../shared/clock.ts';
import type { ChangeLog } from '../changes/index.ts';
import type { WatchedDomain } from './watched-domain.ts';
import { compareDomainFacts, isInRedemption, type DomainFacts } from './domain-facts.ts';
import type { LookupOutcome } from './domain-lookup.ts';
import { toUnicodeDomain } from './domain-name.ts';
import type { LookupFaultCode } from './lookup-fault.ts';
import { isConditionOfRegistry, type DomainCondition } from './domain-state.ts';
import type { DomainAlerts } from './domain-alerts.ts';
import { DomainRepository } from './domain-repository.ts';
import { SiteDomainRepository } from './site-domain-repository.ts';

export interface FinishedLookup {
  name: string;
  outcome: Exclude<LookupOutcome, { kind: 'put_off' }>;
  /** End of the lease of this lookup. If the domain has another lease by now, the lookup is discarded. */
  leaseUntil: number;
  actor: string;
}

export interface DomainRecorderDeps {
  knex: Knex;
  clock: Clock;
  changeLog: ChangeLog;
  alerts: DomainAlerts;
}

/**
 * Records lookups. The domain and its change log entries are stored in one transaction. If the process is killed,
 * neither is stored and the lookup is repeated. The alerts follow in transactions of their own, because thousands of
 * sites can share a domain.
 */
export class DomainRecorder {
  readonly #deps: DomainRecorderDeps;

  constructor(deps: DomainRecorderDeps) {
    this.#deps = deps;
  }

  /** Returns the stored domain: unchanged if another caller has taken the lease, null if the row was deleted. */
  async record({ name, outcome, leaseUntil, actor }: FinishedLookup): Promise<WatchedDomain | null> {
    const { knex, clock, alerts: domainAlerts } = this.#deps;
    const stored = await inTransaction(knex, async ({ trx }) => {
      const domains = new DomainRepository(trx);
      const before = await domains.lock(name);
      if (!before || before.leaseUntil !== leaseUntil) return before;
      const after = applyLookupOutcome(before, outcome, clock.now());
      await domains.save(after);
      if (before.facts && outcome.kind === 'found') await this.#log(trx, name, [before.facts, outcome.facts], actor);
      return after;
    });
    await domainAlerts.raiseAll(knex, { domain: name });
    return stored;
  }

  async #log(
    trx: Knex.Transaction,
    name: string,
    [before, after]: readonly [DomainFacts, DomainFacts],
    actor: string,
  ): Promise<void> {
    const differences = compareDomainFacts(before, after);
    if (differences.length === 0) return;
    const siteIds = await new SiteDomainRepository(trx).lookedUpSites(name);
    const changes = differences.flatMap(({ what, sentence, ...values }) =>
      siteIds.map((siteId) => ({
        siteId,
        type: `domain.${what}_changed`,
        description: `${toUnicodeDomain(name)}: ${sentence}`,
        actor,
        thing: {
          name: toUnicodeDomain(name),
          key: name,
          before: { [what]: values.before },
          after: { [what]: values.after },
        },
      })),
    );
    await this.#deps.changeLog.append(trx, ...changes);
  }
}

/**
 * Returns the domain after a lookup. Keeps the facts if the lookup failed. `not_found` is a failure but counts as an
 * answer of the registry.
 */
function applyLookupOutcome(before: WatchedDomain, outcome: FinishedLookup['outcome'], now: number): WatchedDomain {
  const released = { ...before, leaseUntil: null };
  if (outcome.kind === 'found') {
    const { facts, source } = outcome;
    const condition = isInRedemption(facts) ? 'redemption' : 'registered';
    return { ...released, condition, facts, source, error: null, askedAt: now, answeredAt: now };
  }
  const { code, message, wasSent } = outcome.fault;
  return {
    ...released,
    askedAt: wasSent ? now : before.askedAt,
    condition: conditionAfterFault(before.condition, code),
    error: { code, message },
    answeredAt: code === 'not_found' ? now : before.answeredAt,
  };
}

/** A rate limit tells nothing about the domain, so it changes nothing. */
function conditionAfterFault(before: DomainCondition, code: LookupFaultCode): DomainCondition {
  if (code === 'not_found') return 'not_found';
  if (code === 'rate_limited' || isConditionOfRegistry(before)) return before;
  return code === 'unsupported_tld' ? 'unsupported_tld' : 'lookup_failed';
}
