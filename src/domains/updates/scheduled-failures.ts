import type { Knex } from 'knex';
import type { Lease } from '../../db/lease.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { Clock } from '../../shared/clock.ts';
import { DatabaseUnavailableError, DomainError } from '../../shared/errors.ts';
import { itemErrorOf, type ItemError } from '../../shared/item-error.ts';
import type { ChangeLog } from '../changes/index.ts';
import { UNKNOWN_UPDATES_KEY, type Alerts, type ScheduledUpdateError } from '../mail/index.ts';
import { SiteRepository, type SiteWithUrlKey } from '../sites/index.ts';
import type { AppliedUpdate } from './update.ts';
import { brokenAlertKey } from './broken-site-recorder.ts';
import { BrokenSitesRepository } from './broken-sites-repository.ts';

interface ScheduledFailuresDeps {
  knex: Knex;
  clock: Clock;
  alerts: Alerts;
  changeLog: ChangeLog;
  /** True if everybody who gets mails of failed updates also gets those of broken sites. */
  isBrokenMailed: () => boolean;
}

interface ScheduledItem {
  id: number;
  jobId: string;
  requestedBy: string;
  lease: Lease;
}

interface ScheduledRun {
  site: SiteWithUrlKey;
  updated: readonly AppliedUpdate[];
  errors: readonly ItemError[];
  /** ID of the last entry in the change log before the run. Missing if the run ended before an update was sent. */
  logPosition?: number | undefined;
  isBroken: boolean;
}

/**
 * Reports failed updates of scheduled runs, because nobody waits for the response of such a run. Updates that failed,
 * broke the site or have an unknown outcome raise an alert for each site. Failed updates are also entries of the change
 * log.
 */
export class ScheduledFailures {
  readonly #deps: ScheduledFailuresDeps;

  constructor(deps: ScheduledFailuresDeps) {
    this.#deps = deps;
  }

  /** Records the errors of an item once, even if a resumed attempt reports them again. */
  async record(item: ScheduledItem, run: ScheduledRun): Promise<void> {
    const { site, updated, errors, isBroken, logPosition } = run;
    if (errors.length === 0) return;
    const { knex, alerts, changeLog } = this.#deps;
    const { id, jobId, requestedBy: actor, lease } = item;
    const keys = [`update_failed:${id}`, `${UNKNOWN_UPDATES_KEY}${id}`] as const;
    await inTransaction(knex, async ({ trx }) => {
      await lease.lock(trx);
      if (await alerts.isAnyRaised(trx, keys)) return;
      // If an `http_check` alert has already reported that this job broke the site, the updates that broke it need no
      // second mail.
      const isTold = isBroken && (await this.#isToldAsBroken(trx, site.id, jobId));
      const untold = errors.filter((error) => !isTold || !isBreaking(error));
      const { id: siteId, url, name } = site;
      if (untold.length > 0)
        await alerts.raise(trx, {
          type: 'update_failed',
          key: keys[untold.every(isUnknown) ? 1 : 0],
          site: { id: siteId, url, name },
          facts: { isBroken: isBroken && untold.some(isBreaking), updates: untold.map(toAlertedError), jobId },
        });
      // The entry of an installed update already says that it broke the site.
      const isLogged = ({ type, slug }: ItemError): boolean =>
        isBroken && updated.some((update) => update.type === type && update.slug === slug);
      const failed = errors.filter((error) => !isUnknown(error) && !(isBreaking(error) && isLogged(error)));
      const entries = failed.map((error) => {
        const { type = 'site', slug, message } = error;
        const what = isBroken && isBreaking(error) ? 'broke the site' : 'failed';
        return {
          siteId,
          type: `${type === 'core' ? 'wordpress' : type}.update_failed`,
          description: `The scheduled update ${what}. ${message}`,
          actor,
          thing: { name: slug ?? name, key: slug ?? siteId },
        };
      });
      // If no alert was raised, only the change log shows that an earlier attempt has recorded these errors.
      const unlogged =
        logPosition === undefined ? entries : await changeLog.withoutLogged(trx, siteId, entries, logPosition);
      await changeLog.append(trx, ...unlogged);
    });
  }

  async #isToldAsBroken(trx: Knex.Transaction, siteId: number, jobId: string): Promise<boolean> {
    const mark = await new BrokenSitesRepository(trx).of(siteId);
    const facts = mark && (await this.#deps.alerts.factsOf<'http_check'>(trx, brokenAlertKey(siteId, mark.since)));
    return facts?.jobId === jobId && this.#deps.isBrokenMailed();
  }

  /**
   * Records an error that ended the run before an update was sent. Leaves out errors that say nothing about the site,
   * such as an unavailable database.
   */
  async recordError(item: ScheduledItem, siteId: number, error: unknown): Promise<void> {
    if (!(error instanceof DomainError) || error instanceof DatabaseUnavailableError) return;
    const { knex, clock } = this.#deps;
    const site = await new SiteRepository(knex, clock.now()).findKeyed(siteId);
    if (site) await this.record(item, { site, updated: [], errors: [itemErrorOf(siteId, error)], isBroken: false });
  }
}

const BREAKING_REASONS = new Set(['site_fatal', 'home_page_broken']);
const isBreaking = ({ reason = '' }: ItemError): boolean => BREAKING_REASONS.has(reason);
const isUnknown = ({ code }: ItemError): boolean => code === 'svc_outcome_unknown';

const toAlertedError = (error: ItemError): ScheduledUpdateError => {
  const { type = 'site', slug = '', message } = error;
  return { type, slug, message, ...(isUnknown(error) && { isUnknown: true }) };
};
