import type { Knex } from 'knex';
import { inTransaction } from '../../db/transaction.ts';
import { changedThing } from '../../shared/changed-thing.ts';
import { Batches } from '../../shared/batches.ts';
import type { Clock } from '../../shared/clock.ts';
import { ConflictError, NotFoundError } from '../../shared/errors.ts';
import { offsetOf, type Page, type PageRequest } from '../../shared/paging.ts';
import type { ChangeLog } from '../changes/index.ts';
import type { Site, SiteList, SiteStatus } from '../sites/index.ts';
import { CertificateRepository, type SeenCertificate } from './certificate-repository.ts';
import type { CheckRecorder } from './check-recorder.ts';
import type { SslCheck } from './ssl-check.ts';
import { SslList, type SslFilter, type SslOrder, type SslRecord } from './ssl-list-read-model.ts';
import { SslMonitorRepository, type SslMonitor } from './ssl-monitor-repository.ts';

export interface SslMonitorServiceParts {
  knex: Knex;
  clock: Clock;
  changeLog: ChangeLog;
  sites: Pick<SiteList, 'byIds'>;
  check: SslCheck;
  recorder: CheckRecorder;
  thresholdDays: () => number;
  /** When the schedule checks next; null while it rests. */
  nextRunAt: () => number | null;
}

export interface CheckOptions {
  /** Ends it by a throw. */
  signal?: AbortSignal;
  /** It may be written down together with others. */
  oneOfMany?: boolean;
}

/** A check, with what it made of its site. */
export interface CheckedSite {
  id: number;
  url: string;
  monitor: SslMonitor;
}

const notFound = (): NotFoundError => new NotFoundError('svc_site_not_found', 'No site goes by this reference.');

/** The items of a run begin some at a time, and each has its site to look up. */
const READ_AFTER_MS = 5;
const READ_AT = 16;

/** The certificates of the sites, as callers read, set and check them. */
export class SslMonitorService {
  readonly #parts: SslMonitorServiceParts;
  readonly #list: SslList;
  readonly #sites: Batches<number, Site | null>;

  constructor(parts: SslMonitorServiceParts) {
    this.#parts = parts;
    this.#list = new SslList(parts.knex, parts.clock, parts.thresholdDays);
    this.#sites = new Batches({ perform: (ids) => this.#sitesOf(ids), afterMs: READ_AFTER_MS, most: READ_AT });
  }

  list(filter: SslFilter, order: SslOrder, request: PageRequest): Promise<Page<SslRecord>> {
    return this.#list.page(filter, order, request);
  }

  /** Throws `svc_site_not_found`. */
  async get(siteId: number): Promise<SslRecord> {
    const record = await this.#list.get(siteId);
    if (!record) throw notFound();
    return record;
  }

  /** When a site of this status is checked next by itself; null when it is not. */
  nextCheckAt(status: SiteStatus): number | null {
    return status === 'suspended' ? null : this.#parts.nextRunAt();
  }

  /** Checks a site now. Throws `svc_site_suspended`, and `svc_site_not_found` when the site is gone. */
  async check(siteId: number, { signal, oneOfMany = false }: CheckOptions = {}): Promise<CheckedSite> {
    const { clock, check, recorder } = this.#parts;
    const site = await this.#sites.add(siteId, { atOnce: !oneOfMany });
    if (!site) throw notFound();
    const { id, url, status } = site;
    if (status === 'suspended')
      throw new ConflictError('svc_site_suspended', 'The site is suspended, and its certificate is not checked.');
    const at = clock.now();
    const finding = await check.run(url, signal);
    const monitor = await recorder.record({ siteId: id, at, finding }, { atOnce: !oneOfMany });
    if (!monitor) throw notFound();
    return { id, url, monitor };
  }

  /** Null follows the settings. It is in force at once. */
  async setThreshold(siteId: number, thresholdDays: number | null, actor: string): Promise<SslRecord> {
    const { knex, changeLog } = this.#parts;
    await inTransaction(knex, async ({ trx }) => {
      const monitors = new SslMonitorRepository(trx);
      const monitor = (await monitors.lock([siteId])).get(siteId);
      if (!monitor) throw notFound();
      if (monitor.thresholdDays === thresholdDays) return;
      await monitors.setThreshold(siteId, thresholdDays);
      const words = thresholdDays === null ? 'that of the settings' : `${thresholdDays} days`;
      const description = `The threshold of the SSL monitor is ${words} now.`;
      const before = { notifyThresholdDays: monitor.thresholdDays };
      const thing = changedThing({ name: null, key: siteId }, before, { notifyThresholdDays: thresholdDays });
      await changeLog.append(trx, { siteId, type: 'ssl_monitor.updated', description, actor, thing });
    });
    return this.get(siteId);
  }

  /** What a site has shown; what was seen last comes first. */
  async certificates(siteId: number, request: PageRequest): Promise<Page<SeenCertificate>> {
    const certificates = new CertificateRepository(this.#parts.knex);
    const [total, items] = await Promise.all([
      certificates.count(siteId),
      certificates.ofSite(siteId, offsetOf(request), request.perPage),
    ]);
    return { items, ...request, total };
  }

  async #sitesOf(ids: readonly number[]): Promise<(Site | null)[]> {
    const sites = new Map((await this.#parts.sites.byIds(ids)).map((site) => [site.id, site]));
    return ids.map((id) => sites.get(id) ?? null);
  }
}
