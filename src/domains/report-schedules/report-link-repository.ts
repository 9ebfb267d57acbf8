import type { Knex } from 'knex';
import { lockForUpdate } from '../../db/dialect.ts';
import type { ReportLink } from './report-link.ts';

interface ReportLinkRow {
  id: number;
  report_id: number;
  mail_id: number;
  created_at: number;
  expires_at: number;
  revoked_at: number | null;
  openings: number;
  last_opened_at: number | null;
}

const COLUMNS = [
  ...(['id', 'report_id', 'mail_id', 'created_at', 'expires_at', 'revoked_at', 'openings', 'last_opened_at'] as const),
] satisfies (keyof ReportLinkRow)[];

const toLink = (row: ReportLinkRow): ReportLink => ({
  id: row.id,
  reportId: row.report_id,
  mailId: Number(row.mail_id),
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
  openings: row.openings,
  lastOpenedAt: row.last_opened_at,
});

export interface OpeningsOfDay {
  reportId: number;
  day: string;
  openings: number;
  name: string;
  siteId: number | null;
}

export class ReportLinkRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async insert(
    link: Pick<ReportLink, 'reportId' | 'mailId' | 'createdAt' | 'expiresAt'>,
    tokenHash: string,
  ): Promise<void> {
    await this.#db('report_links').insert({
      report_id: link.reportId,
      mail_id: link.mailId,
      token_hash: tokenHash,
      created_at: link.createdAt,
      expires_at: link.expiresAt,
    });
  }

  async findByHash(tokenHash: string): Promise<ReportLink | null> {
    const row = await this.#db('report_links')
      .where({ token_hash: tokenHash })
      .first<ReportLinkRow | undefined>(...COLUMNS);
    return row ? toLink(row) : null;
  }

  async ofReports(reportIds: readonly number[]): Promise<ReportLink[]> {
    if (reportIds.length === 0) return [];
    const rows = await this.#db('report_links')
      .whereIn('report_id', [...reportIds])
      .orderBy('id', 'desc')
      .select<ReportLinkRow[]>(...COLUMNS);
    return rows.map(toLink);
  }

  revoke(reportId: number, now: number): Promise<number> {
    return this.#db('report_links')
      .where({ report_id: reportId })
      .whereNull('revoked_at')
      .where('expires_at', '>', now)
      .update({ revoked_at: now });
  }

  /** Does nothing if the report of the link was deleted. */
  async countOpening({ id, reportId }: Pick<ReportLink, 'id' | 'reportId'>, day: string, now: number): Promise<void> {
    const counted = await this.#db('report_links').where({ id }).increment('openings').update({ last_opened_at: now });
    if (counted === 0) return;
    await this.#db('report_openings')
      .insert({ report_id: reportId, day, openings: 0 })
      .onConflict(['report_id', 'day'])
      .ignore();
    await this.#db('report_openings').where({ report_id: reportId, day }).increment('openings');
  }

  async unloggedBefore(day: string, most: number): Promise<OpeningsOfDay[]> {
    return this.#unlogged((query) => query.where('report_openings.day', '<', day).limit(most));
  }

  async unloggedOf(reportId: number): Promise<OpeningsOfDay[]> {
    return this.#unlogged((query) => query.where('report_openings.report_id', reportId));
  }

  async markLogged(openings: readonly OpeningsOfDay[]): Promise<void> {
    for (const { reportId, day } of openings)
      await this.#db('report_openings').where({ report_id: reportId, day }).update({ logged: 1 });
  }

  async #unlogged(narrow: (query: Knex.QueryBuilder) => Knex.QueryBuilder): Promise<OpeningsOfDay[]> {
    const query = this.#db('report_openings')
      .join('kept_reports', 'kept_reports.id', 'report_openings.report_id')
      .where('report_openings.logged', 0)
      .orderBy(['report_openings.day', 'report_openings.report_id'])
      .select('report_openings.report_id', 'report_openings.day', 'report_openings.openings')
      .select('kept_reports.name', 'kept_reports.site_id');
    const rows = (await lockForUpdate(this.#db, narrow(query))) as {
      report_id: number;
      day: string;
      openings: number;
      name: string;
      site_id: number | null;
    }[];
    return rows.map((row) => ({
      reportId: row.report_id,
      day: row.day,
      openings: row.openings,
      name: row.name,
      siteId: row.site_id,
    }));
  }
}
