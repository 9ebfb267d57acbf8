import type { Knex } from 'knex';
import { inTransaction } from '../../db/transaction.ts';
import type { Alerts } from '../mail/index.ts';
import type { BrokenByUpdate, KeyedSite } from '../sites/index.ts';
import { BrokenSitesRepository } from './broken-sites-repository.ts';
import type { HomePage } from './home-page.ts';
import type { PageHealth } from './update.ts';

/** What a run found of the home page, with the updates that broke it. */
export interface PageFinding {
  site: KeyedSite;
  health: PageHealth;
  updates: BrokenByUpdate['updates'];
  at: number;
  jobId: string | null;
}

/** What a look at the home page of a site found; 0 stands for no answer. */
interface Visit {
  siteId: number;
  status: number;
}

interface BrokenSitesParts {
  knex: Knex;
  alerts: Alerts;
  page: HomePage;
}

/** Marks of sites that an update has broken. They stay until somebody finds the home page well again. */
export class BrokenSites {
  readonly #parts: BrokenSitesParts;

  constructor(parts: BrokenSitesParts) {
    this.#parts = parts;
  }

  /** Takes down what a run found, in its transaction; people are told of a site that was not marked before. */
  async record(trx: Knex.Transaction, { site, health, updates, at, jobId }: PageFinding): Promise<void> {
    const marks = new BrokenSitesRepository(trx);
    const { state, before: statusBefore, after: statusAfter } = health;
    if (state === 'well') await marks.clear(site.id);
    if (state !== 'broken' || (await marks.of(site.id)) !== null) return;
    await marks.put(site.id, { since: at, statusBefore, statusAfter, updates });
    const { id, url, name } = site;
    await this.#parts.alerts.raise(trx, {
      type: 'http_check',
      key: `http_check:${id}:${at}`,
      site: { id, url, name },
      facts: { statusBefore, statusAfter, updates, jobId },
    });
  }

  /** Somebody has looked at the home page of a site. */
  async seen(siteId: number, status: number): Promise<void> {
    const { knex } = this.#parts;
    const visits = [{ siteId, status }];
    if ((await this.#mended(knex, visits)).length > 0) await inTransaction(knex, ({ trx }) => this.seenIn(trx, visits));
  }

  /** The same of many sites, in the transaction of what tells of them. */
  async seenIn(trx: Knex.Transaction, visits: readonly Visit[]): Promise<void> {
    for (const siteId of await this.#mended(trx, visits)) await new BrokenSitesRepository(trx).clear(siteId);
  }

  /** Sites that are marked, and that these visits found well again. */
  async #mended(db: Knex, visits: readonly Visit[]): Promise<number[]> {
    const marks = await new BrokenSitesRepository(db).among(visits.map(({ siteId }) => siteId));
    return visits.flatMap(({ siteId, status }) => {
      const mark = marks.get(siteId);
      return mark && !this.#parts.page.isBroken(status, mark.statusBefore) ? [siteId] : [];
    });
  }
}
