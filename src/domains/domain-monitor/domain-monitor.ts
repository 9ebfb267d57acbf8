import type { Knex } from 'knex';
import { inTransaction } from '../../db/transaction.ts';
import type { CronTiming } from '../../platform/part.ts';
import { describeChangedObject, type ChangedObject } from '../../shared/changed-object.ts';
import { toDate, type Clock } from '../../shared/clock.ts';
import { ConflictError, NotFoundError } from '../../shared/errors.ts';
import type { Page, PageRequest } from '../../shared/paging.ts';
import type { ChangeLog } from '../changes/index.ts';
import { createRunFinder, nextRun } from '../schedules/index.ts';
import type { SiteWithUrlKey } from '../sites/index.ts';
import type { ManualEntry, SiteDomain } from './watched-domain.ts';
import type { DomainChecks } from './domain-checks.ts';
import type { DomainAlerts } from './domain-alerts.ts';
import { applyManualPatch, type ManualPatch } from './manual-entry.ts';
import { nextCheckOf, type DomainMonitoringSettings } from './domain-monitoring-settings.ts';
import { toDomainProfile, type DomainProfile } from './domain-profile.ts';
import {
  ProfileReadModel,
  type StateContext,
  type StoredProfile,
  type ProfileFilter,
  type ProfileOrder,
} from './profile-read-model.ts';
import { SiteDomainRepository } from './site-domain-repository.ts';

export interface SiteDomainCheckResult {
  /**
   * `asked`: a registry was asked. `limited`: the rate limit prevented that. `kept`: the stored domain is recent
   * enough. `busy`: the lookup of another caller has not ended. `manual`: a manual entry replaces the lookup. `none`:
   * the site has no domain.
   */
  kind: 'asked' | 'limited' | 'kept' | 'busy' | 'manual' | 'none';
  profile: DomainProfile;
}

export interface DomainMonitorDeps {
  knex: Knex;
  clock: Clock;
  checks: DomainChecks;
  alerts: DomainAlerts;
  changeLog: ChangeLog;
  settings: () => DomainMonitoringSettings;
  timing: () => CronTiming | null;
}

export class DomainMonitor {
  readonly #deps: DomainMonitorDeps;

  constructor(deps: DomainMonitorDeps) {
    this.#deps = deps;
  }

  async list(filter: ProfileFilter, order: ProfileOrder, request: PageRequest): Promise<Page<DomainProfile>> {
    const moment = this.#moment();
    const page = await new ProfileReadModel(this.#deps.knex).page(filter, order, moment, request);
    const timing = this.#deps.timing();
    const runAfter = timing ? createRunFinder(timing, moment.now) : () => null;
    const toItem = (known: StoredProfile) => this.#withNextCheck(toDomainProfile(known, moment), moment, runAfter);
    return { ...page, items: page.items.map(toItem) };
  }

  async get(siteId: number): Promise<DomainProfile> {
    const known = await new ProfileReadModel(this.#deps.knex).get(siteId);
    if (!known) throw siteNotFoundError();
    const [moment, timing] = [this.#moment(), this.#deps.timing()];
    const runAfter = (time: number) => timing && nextRun(timing, time);
    return this.#withNextCheck(toDomainProfile(known, moment), moment, runAfter);
  }

  /**
   * Checks the domain of a site. Reuses an answer of the last day unless `force` is true. Throws `svc_site_suspended`.
   */
  async check(site: SiteWithUrlKey, { force }: { force: boolean }, actor: string): Promise<SiteDomainCheckResult> {
    if (site.status === 'suspended')
      throw new ConflictError('svc_site_suspended', 'The site is suspended, so its domain is not monitored.');
    const { knex, checks } = this.#deps;
    await new SiteDomainRepository(knex).ensure(site);
    const known = await new ProfileReadModel(knex).get(site.id);
    const { manual = null, domain: name = null } = known?.watch ?? {};
    if (manual || name === null) return { kind: manual ? 'manual' : 'none', profile: await this.get(site.id) };
    const { kind } = await checks.check(name, { allowCached: !force, deferUntil: null, actor });
    return { kind: kind === 'put_off' ? 'asked' : kind, profile: await this.get(site.id) };
  }

  setThreshold(site: SiteWithUrlKey, days: number | null, actor: string): Promise<DomainProfile> {
    return this.#change(site, actor, async ({ thresholdDays: before }, repository) => {
      await repository.setThreshold(site.id, days);
      const description =
        days === null
          ? 'The threshold of the domain follows the settings.'
          : `The threshold of the domain is ${days} days.`;
      const thing = describeChangedObject(
        siteIdentityForChangeLog(site),
        { notifyThresholdDays: before },
        { notifyThresholdDays: days },
      );
      return { type: 'domain.threshold_changed', description, thing };
    });
  }

  editManualEntry(site: SiteWithUrlKey, patch: ManualPatch, actor: string): Promise<DomainProfile> {
    return this.#change(site, actor, async ({ manual }, repository) => {
      const entry = applyManualPatch(manual, patch, this.#deps.clock.now());
      await repository.setManual(site.id, entry);
      const expiry = entry.expiresAt === null ? 'no expiry date' : `expiry ${toDate(entry.expiresAt)}`;
      const thing = describeChangedObject(
        siteIdentityForChangeLog(site),
        manual && loggedValues(manual),
        loggedValues(entry),
      );
      return { type: 'domain.entered', description: `The data of the domain was entered manually: ${expiry}.`, thing };
    });
  }

  removeManualEntry(site: SiteWithUrlKey, actor: string): Promise<DomainProfile> {
    return this.#change(site, actor, async ({ manual }, repository) => {
      if (!manual) return null;
      await repository.setManual(site.id, null);
      const thing = describeChangedObject(siteIdentityForChangeLog(site), loggedValues(manual), null);
      return { type: 'domain.entry_ended', description: 'The manual entry of the domain was removed.', thing };
    });
  }

  async #change(
    site: SiteWithUrlKey,
    actor: string,
    work: (
      watch: SiteDomain,
      repository: SiteDomainRepository,
    ) => Promise<{ type: string; description: string; thing: ChangedObject } | null>,
  ): Promise<DomainProfile> {
    const { knex, changeLog, alerts: domainAlerts } = this.#deps;
    // The row is created before the transaction: two transactions that insert it and then lock it would deadlock.
    await new SiteDomainRepository(knex).ensure(site);
    await inTransaction(knex, async ({ trx }) => {
      const repository = new SiteDomainRepository(trx);
      const watch = await repository.lock(site.id);
      if (!watch) throw siteNotFoundError();
      const change = await work(watch, repository);
      if (!change) return;
      await changeLog.append(trx, { siteId: site.id, ...change, actor });
      const known = await new ProfileReadModel(trx).get(site.id);
      if (known) await domainAlerts.raiseAlerts(trx, [known]);
    });
    return this.get(site.id);
  }

  #moment(): StateContext {
    return { now: this.#deps.clock.now(), thresholdDays: this.#deps.settings().threshold_days };
  }

  #withNextCheck(
    profile: Omit<DomainProfile, 'nextCheckAt'>,
    { now }: StateContext,
    runAfter: (time: number) => number | null,
  ): DomainProfile {
    const { site, watch, domain } = profile.stored;
    const isWatched = site.status !== 'suspended' && watch?.domain != null && !watch.manual;
    const nextCheckAt = isWatched ? nextCheckOf(domain, this.#deps.settings(), now, runAfter) : null;
    return { ...profile, nextCheckAt };
  }
}

const siteIdentityForChangeLog = ({ name, id }: SiteWithUrlKey): Pick<ChangedObject, 'name' | 'key'> => ({
  name,
  key: id,
});

const loggedValues = ({ createdAt, updatedAt, expiresAt, enteredAt: _enteredAt, ...texts }: ManualEntry) => ({
  ...texts,
  createdAt: dateTextOrNull(createdAt),
  updatedAt: dateTextOrNull(updatedAt),
  expiresAt: dateTextOrNull(expiresAt),
});

const dateTextOrNull = (at: number | null): string | null => (at === null ? null : toDate(at));

const siteNotFoundError = (): NotFoundError =>
  new NotFoundError('svc_site_not_found', 'No site matches this reference.');
