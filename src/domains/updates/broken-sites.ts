import type { Knex } from 'knex';
import { inTransaction } from '../../db/transaction.ts';
import type { Alerts } from '../mail/index.ts';
import type { BrokenByUpdate, SiteWithUrlKey } from '../sites/index.ts';
import { BrokenSitesRepository } from './broken-sites-repository.ts';
import type { HomePageCheck } from './home-page-check.ts';
import type { PageHealth } from './update.ts';

export interface PageFinding {
  site: SiteWithUrlKey;
  health: PageHealth;
  updates: BrokenByUpdate['updates'];
  at: number;
  jobId: string | null;
}

interface PageStatus {
  siteId: number;
  status: number;
}

interface BrokenSitesDeps {
  knex: Knex;
  alerts: Alerts;
  page: HomePageCheck;
}

export class BrokenSites {
  readonly #deps: BrokenSitesDeps;

  constructor(deps: BrokenSitesDeps) {
    this.#deps = deps;
  }

  async record(trx: Knex.Transaction, { site, health, updates, at, jobId }: PageFinding): Promise<void> {
    const marks = new BrokenSitesRepository(trx);
    const { state, before: statusBefore, after: statusAfter } = health;
    if (state === 'well') await marks.clear(site.id);
    if (state !== 'broken' || (await marks.of(site.id)) !== null) return;
    await marks.put(site.id, { since: at, statusBefore, statusAfter, updates });
    const { id, url, name } = site;
    await this.#deps.alerts.raise(trx, {
      type: 'http_check',
      key: `http_check:${id}:${at}`,
      site: { id, url, name },
      facts: { statusBefore, statusAfter, updates, jobId },
    });
  }

  async recordStatus(siteId: number, status: number): Promise<void> {
    const { knex } = this.#deps;
    const visits = [{ siteId, status }];
    if ((await this.#recovered(knex, visits)).length > 0)
      await inTransaction(knex, ({ trx }) => this.recordStatuses(trx, visits));
  }

  async recordStatuses(trx: Knex.Transaction, visits: readonly PageStatus[]): Promise<void> {
    for (const siteId of await this.#recovered(trx, visits)) await new BrokenSitesRepository(trx).clear(siteId);
  }

  async #recovered(db: Knex, visits: readonly PageStatus[]): Promise<number[]> {
    const marks = await new BrokenSitesRepository(db).ofSites(visits.map(({ siteId }) => siteId));
    return visits.flatMap(({ siteId, status }) => {
      const mark = marks.get(siteId);
      return mark && !this.#deps.page.isBroken(status, mark.statusBefore) ? [siteId] : [];
    });
  }
}
