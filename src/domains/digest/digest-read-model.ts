import type { Knex } from 'knex';
import { countRows } from '../../db/count-rows.ts';
import { DAY } from '../../shared/clock.ts';
import { UNKNOWN_UPDATES_KEY, type ScheduledUpdateError } from '../mail/index.ts';

export interface DigestSite {
  id: number;
  url: string;
  name: string;
}
export interface LimitedList<Line extends DigestSite> {
  lines: Line[];
  total: number;
}

/** The counters of a site do not count ignored updates. */
const TRANSLATIONS = 'translation_updates';
const UPDATE_COUNTERS = ['core_updates', 'plugin_updates', 'theme_updates', TRANSLATIONS] as const;
type UpdateCounts = Partial<Record<(typeof UPDATE_COUNTERS)[number], number>>;

export type PendingUpdatesOfSite = DigestSite & { counts: UpdateCounts };
export type DownSite = DigestSite & { cause: string; since: number };
export type FailingSync = DigestSite & { message: string; since: number };
export type GuardFileLeft = DigestSite & { path: string; since: number };
export type FixedVulnerability = DigestSite & {
  item: string;
  action: string;
  oldVersion: string;
  newVersion: string;
};
export type ExpiringCertificate = DigestSite & { isValid: boolean; expiresAt: number | null };

const LISTED = 15;
const WARNED_BEFORE = 14 * DAY;
const SITE = ['sites.id', 'sites.url', 'sites.name'] as const;

export type UpdateErrors = DigestSite & { since: number; updates: readonly ScheduledUpdateError[] };

type UpdateErrorsRow = DigestSite & { since: number; facts: string };
type CertificateRow = DigestSite & { valid: number; expires: number | null };

export class DigestReadModel {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async pendingUpdates(withTranslations: boolean): Promise<LimitedList<PendingUpdatesOfSite> & { updates: number }> {
    const counters = withTranslations ? UPDATE_COUNTERS : UPDATE_COUNTERS.filter((each) => each !== TRANSLATIONS);
    const waiting = counters.join(' + ');
    const chosen = (): Knex.QueryBuilder =>
      this.#states().where('sites.status', 'connected').whereRaw(`${waiting} > 0`);
    const { lines, total } = await this.#listed<DigestSite & UpdateCounts>(chosen, [...SITE, ...counters]);
    const [sum]: { updates: number | string | null }[] = await chosen().select(
      this.#db.raw(`sum(${waiting}) as updates`),
    );
    return {
      lines: lines.map(({ id, url, name, ...counts }) => ({ id, url, name, counts })),
      total,
      updates: Number(sum?.updates ?? 0),
    };
  }

  /** `allWatched` is true if monitors without a setting of their own are active. */
  async downSites(allWatched: boolean): Promise<LimitedList<DownSite>> {
    const chosen = (): Knex.QueryBuilder =>
      this.#db('monitors')
        .join('sites', 'sites.id', 'monitors.site_id')
        .join('incidents', 'incidents.id', 'monitors.incident_id')
        .where('monitors.state', 'down')
        .whereRaw('coalesce(monitors.active, ?) = 1', [Number(allWatched)])
        .whereNot('sites.status', 'suspended');
    return this.#listed<DownSite>(chosen, [...SITE, 'incidents.cause', 'incidents.started_at as since']);
  }

  async disconnectedSites(): Promise<LimitedList<DigestSite>> {
    const chosen = (): Knex.QueryBuilder => this.#db('sites').where('sites.status', 'disconnected');
    return this.#listed<DigestSite>(chosen, SITE);
  }

  async failingSyncs(): Promise<LimitedList<FailingSync>> {
    const chosen = (): Knex.QueryBuilder =>
      this.#states().where('sites.status', 'connected').whereNotNull('site_states.sync_error_at');
    return this.#listed<FailingSync>(chosen, [
      ...SITE,
      'site_states.sync_error_message as message',
      'site_states.sync_error_at as since',
    ]);
  }

  async brokenByUpdates(): Promise<LimitedList<DigestSite>> {
    return this.#listed<DigestSite>(() => this.#states().whereNotNull('site_states.broken_by_update'), SITE);
  }

  async leftGuardFiles(): Promise<LimitedList<GuardFileLeft>> {
    const { lines, total } = await this.#listed<DigestSite & { guard_left: string }>(
      () => this.#states().whereNotNull('site_states.guard_left'),
      [...SITE, 'site_states.guard_left'],
    );
    return {
      lines: lines.map(({ guard_left, ...site }) => ({
        ...site,
        ...(JSON.parse(guard_left) as Pick<GuardFileLeft, 'path' | 'since'>),
      })),
      total,
    };
  }

  failedUpdates(since: number): Promise<LimitedList<UpdateErrors>> {
    return this.#updateErrors(since, (query) => query.whereNot('alerts.alert_key', 'like', `${UNKNOWN_UPDATES_KEY}%`));
  }

  /** Returns the runs since this time in which nothing failed, but the outcome of some updates is unknown. */
  unconfirmedUpdates(since: number): Promise<LimitedList<UpdateErrors>> {
    return this.#updateErrors(since, (query) => query.where('alerts.alert_key', 'like', `${UNKNOWN_UPDATES_KEY}%`));
  }

  async #updateErrors(
    since: number,
    narrow: (query: Knex.QueryBuilder) => Knex.QueryBuilder,
  ): Promise<LimitedList<UpdateErrors>> {
    const chosen = (): Knex.QueryBuilder =>
      narrow(
        this.#db('alerts')
          .join('sites', 'sites.id', 'alerts.site_id')
          .where('alerts.type', 'update_failed')
          .where('alerts.raised_at', '>', since),
      );
    const { lines, total } = await this.#listed<UpdateErrorsRow>(chosen, [
      ...SITE,
      'alerts.facts as facts',
      'alerts.raised_at as since',
    ]);
    return {
      lines: lines.map(({ facts, ...line }) => ({ ...line, ...(JSON.parse(facts) as Pick<UpdateErrors, 'updates'>) })),
      total,
    };
  }

  fixedVulnerabilities(since: number): Promise<LimitedList<FixedVulnerability>> {
    const chosen = (): Knex.QueryBuilder =>
      this.#db('vulnerability_fixes as fixes')
        .join('sites', 'sites.id', 'fixes.site_id')
        .where({ 'fixes.state': 'done' })
        .where('fixes.ended_at', '>', since);
    return this.#listed<FixedVulnerability>(chosen, [
      ...SITE,
      'fixes.name as item',
      'fixes.action',
      'fixes.old_version as oldVersion',
      'fixes.new_version as newVersion',
    ]);
  }

  async expiringCertificates(now: number): Promise<LimitedList<ExpiringCertificate>> {
    const chosen = (): Knex.QueryBuilder =>
      this.#states()
        .where('sites.status', 'connected')
        .where('sites.url', 'like', 'https:%')
        .where(
          (either) =>
            void either
              .where('site_states.ssl_valid', 0)
              .orWhere('site_states.ssl_expires_at', '<', now + WARNED_BEFORE),
        );
    const { lines, total } = await this.#listed<CertificateRow>(chosen, [
      ...SITE,
      'site_states.ssl_valid as valid',
      'site_states.ssl_expires_at as expires',
    ]);
    const certificates = lines.map(({ valid, expires, ...site }) => ({
      ...site,
      isValid: valid === 1,
      expiresAt: expires,
    }));
    return { lines: certificates, total };
  }

  async countWaitingReports(): Promise<number> {
    return countRows(this.#db('kept_reports').where({ release_state: 'waiting' }));
  }

  async countAbandoned(before: number): Promise<Record<string, number>> {
    const rows = await this.#db('site_abandoned')
      .join('sites', 'sites.id', 'site_abandoned.site_id')
      .where('sites.status', 'connected')
      .where('site_abandoned.last_updated_at', '<', before)
      .groupBy('site_abandoned.kind')
      .select<{ kind: string; n: number | string }[]>('site_abandoned.kind', this.#db.raw('count(*) as n'));
    return Object.fromEntries(rows.map(({ kind, n }) => [kind, Number(n)]));
  }

  #states(): Knex.QueryBuilder {
    return this.#db('site_states').join('sites', 'sites.id', 'site_states.site_id');
  }

  async #listed<Line extends DigestSite>(
    chosen: () => Knex.QueryBuilder,
    columns: readonly string[],
  ): Promise<LimitedList<Line>> {
    const query = chosen().orderBy('sites.url_key').limit(LISTED);
    const lines = (await query.select(...columns)) as Line[];
    return { lines, total: await countRows(chosen()) };
  }
}
