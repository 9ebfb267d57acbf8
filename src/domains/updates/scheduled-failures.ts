import type { Knex } from 'knex';
import type { Lease } from '../../db/lease.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { Clock } from '../../shared/clock.ts';
import { DatabaseUnavailableError, DomainError, itemErrorOf, type ItemError } from '../../shared/errors.ts';
import type { ChangeLog } from '../changes/index.ts';
import type { Alerts } from '../mail/index.ts';
import { SiteRepository, type SiteWithUrlKey } from '../sites/index.ts';

interface ScheduledFailuresDeps {
  knex: Knex;
  clock: Clock;
  alerts: Alerts;
  changeLog: ChangeLog;
}

interface ScheduledItem {
  id: number;
  jobId: string;
  requestedBy: string;
  lease: Lease;
}

interface ScheduledRun {
  site: SiteWithUrlKey;
  errors: readonly ItemError[];
  isBroken: boolean;
}

/**
 * Nobody waits for the response of a scheduled run. Its failed and broken updates therefore raise an alert for each
 * site, and failed ones are entries of the change log.
 */
export class ScheduledFailures {
  readonly #deps: ScheduledFailuresDeps;

  constructor(deps: ScheduledFailuresDeps) {
    this.#deps = deps;
  }

  /** Records the failures of an item once, even if a resumed attempt reports them again. */
  async record(item: ScheduledItem, { site, errors, isBroken }: ScheduledRun): Promise<void> {
    if (errors.length === 0) return;
    const { knex, alerts, changeLog } = this.#deps;
    const { id, jobId, requestedBy: actor, lease } = item;
    const key = `update_failed:${id}`;
    await inTransaction(knex, async ({ trx }) => {
      await lease.lock(trx);
      if (await alerts.isRaised(trx, key)) return;
      const updates = errors.map(({ type = 'site', slug = '', message }) => ({ type, slug, message }));
      const { id: siteId, url, name } = site;
      await alerts.raise(trx, {
        type: 'update_failed',
        key,
        site: { id: siteId, url, name },
        facts: { isBroken, updates, jobId },
      });
      // The entry of an installed update already says that it broke the site.
      const failed = errors.filter(({ reason = '' }) => !isBroken || !BREAKING_REASONS.has(reason));
      await changeLog.append(
        trx,
        ...failed.map(({ type = 'site', slug, message }) => ({
          siteId,
          type: `${type === 'core' ? 'wordpress' : type}.update_failed`,
          description: `The scheduled update failed. ${message}`,
          actor,
          thing: { name: slug ?? name, key: slug ?? siteId },
        })),
      );
    });
  }

  /**
   * Records an error that ended the run before an update was sent. Leaves out errors that say nothing about the site,
   * such as an unavailable database.
   */
  async recordError(item: ScheduledItem, siteId: number, error: unknown): Promise<void> {
    if (!(error instanceof DomainError) || error instanceof DatabaseUnavailableError) return;
    const { knex, clock } = this.#deps;
    const site = await new SiteRepository(knex, clock.now()).findKeyed(siteId);
    if (site) await this.record(item, { site, errors: [itemErrorOf(siteId, error)], isBroken: false });
  }
}

const BREAKING_REASONS = new Set(['site_fatal', 'home_page_broken']);
