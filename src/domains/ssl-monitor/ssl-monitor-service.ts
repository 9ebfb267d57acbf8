import type { Knex } from 'knex';
import { inTransaction } from '../../db/transaction.ts';
import { describeChangedObject } from '../../shared/changed-object.ts';
import { Batcher } from '../../shared/batcher.ts';
import type { Clock } from '../../shared/clock.ts';
import { ConflictError, NotFoundError } from '../../shared/errors.ts';
import { offsetOf, type Page, type PageRequest } from '../../shared/paging.ts';
import type { ChangeLog } from '../changes/index.ts';
import type { Site, SiteList, SiteStatus } from '../sites/index.ts';
import { CertificateRepository, type SeenCertificate } from './certificate-repository.ts';
import type { SslCheckRecorder } from './ssl-check-recorder.ts';
import type { SslCheck } from './ssl-check.ts';
import { SslList, type SslFilter, type SslOrder, type SslRecord } from './ssl-list-read-model.ts';
import { SslMonitorRepository, type SslMonitor } from './ssl-monitor-repository.ts';

export interface SslMonitorServiceDeps {
  knex: Knex;
  clock: Clock;
  changeLog: ChangeLog;
  sites: Pick<SiteList, 'byIds'>;
  check: SslCheck;
  recorder: SslCheckRecorder;
  thresholdDays: () => number;
  nextRunAt: () => number | null;
}

export interface CheckOptions {
  signal?: AbortSignal;
  /** Milliseconds after which the wait for a lookup ends with `LookupDelayedError`. Default: no limit. */
  lookupWaitMs?: number;
  /** True if the check may be stored in a batch with others. */
  oneOfMany?: boolean;
}

export interface SiteSslCheckResult {
  id: number;
  url: string;
  monitor: SslMonitor;
}

const siteNotFoundError = (): NotFoundError =>
  new NotFoundError('svc_site_not_found', 'No site matches this reference.');

/** Delay in which sites are collected and read with one SQL statement. The items of a run start a few at a time. */
const READ_AFTER_MS = 5;
const READ_AT = 16;

export class SslMonitorService {
  readonly #deps: SslMonitorServiceDeps;
  readonly #list: SslList;
  readonly #sites: Batcher<number, Site | null>;

  constructor(deps: SslMonitorServiceDeps) {
    this.#deps = deps;
    this.#list = new SslList(deps.knex, deps.clock, deps.thresholdDays);
    this.#sites = new Batcher({ perform: (ids) => this.#sitesOf(ids), delayMs: READ_AFTER_MS, maxItems: READ_AT });
  }

  list(filter: SslFilter, order: SslOrder, request: PageRequest): Promise<Page<SslRecord>> {
    return this.#list.page(filter, order, request);
  }

  async get(siteId: number): Promise<SslRecord> {
    const record = await this.#list.get(siteId);
    if (!record) throw siteNotFoundError();
    return record;
  }

  /** Returns a function, because the next run is calculated once for all records of a page. */
  nextChecks(): (status: SiteStatus) => number | null {
    const nextRunAt = this.#deps.nextRunAt();
    return (status) => (status === 'suspended' ? null : nextRunAt);
  }

  async check(
    siteId: number,
    { signal, lookupWaitMs, oneOfMany = false }: CheckOptions = {},
  ): Promise<SiteSslCheckResult> {
    const { clock, check, recorder } = this.#deps;
    const site = await this.#sites.add(siteId, { atOnce: !oneOfMany });
    if (!site) throw siteNotFoundError();
    const { id, url, status } = site;
    if (status === 'suspended')
      throw new ConflictError('svc_site_suspended', 'The site is suspended, so its certificate is not checked.');
    const at = clock.now();
    const finding = await check.run(url, { signal, lookupWaitMs });
    const monitor = await recorder.record({ siteId: id, at, finding }, { atOnce: !oneOfMany });
    if (!monitor) throw siteNotFoundError();
    return { id, url, monitor };
  }

  async setThreshold(siteId: number, thresholdDays: number | null, actor: string): Promise<SslRecord> {
    const { knex, changeLog } = this.#deps;
    await inTransaction(knex, async ({ trx }) => {
      const monitors = new SslMonitorRepository(trx);
      const monitor = (await monitors.lock([siteId])).get(siteId);
      if (!monitor) throw siteNotFoundError();
      if (monitor.thresholdDays === thresholdDays) return;
      await monitors.setThreshold(siteId, thresholdDays);
      const words = thresholdDays === null ? 'that of the settings' : `${thresholdDays} days`;
      const description = `The threshold of the SSL monitor is now ${words}.`;
      const before = { notifyThresholdDays: monitor.thresholdDays };
      const thing = describeChangedObject({ name: null, key: siteId }, before, { notifyThresholdDays: thresholdDays });
      await changeLog.append(trx, { siteId, type: 'ssl_monitor.updated', description, actor, thing });
    });
    return this.get(siteId);
  }

  async certificates(siteId: number, request: PageRequest): Promise<Page<SeenCertificate>> {
    const certificates = new CertificateRepository(this.#deps.knex);
    const [total, items] = await Promise.all([
      certificates.count(siteId),
      certificates.ofSite(siteId, offsetOf(request), request.perPage),
    ]);
    return { items, ...request, total };
  }

  async #sitesOf(ids: readonly number[]): Promise<(Site | null)[]> {
    const sites = new Map((await this.#deps.sites.byIds(ids)).map((site) => [site.id, site]));
    return ids.map((id) => sites.get(id) ?? null);
  }
}
