import type { Knex } from 'knex';
import { deleteOldest } from '../../db/delete-oldest.ts';
import type { TimeSpan } from './time-spans.ts';

/**
 * `watched`: time that scheduled checks covered. `estimated`: the same for releases that did not store such spans,
 * estimated from the days that have checks. `update`: time in which this service updated the site.
 */
export type MonitorSpanKind = 'watched' | 'estimated' | 'update';

export interface MonitorSpan extends TimeSpan {
  siteId: number;
  kind: MonitorSpanKind;
}

interface SpanRow {
  site_id: number;
  kind: MonitorSpanKind;
  started_at: number;
  ended_at: number;
}

export class MonitorSpanRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async store(spans: readonly MonitorSpan[]): Promise<void> {
    if (spans.length === 0) return;
    await this.#db('monitor_spans')
      .insert(
        spans.map(({ siteId, kind, from, until }) => ({ site_id: siteId, kind, started_at: from, ended_at: until })),
      )
      .onConflict(['site_id', 'kind', 'started_at'])
      .merge(['ended_at']);
  }

  /** The spans are returned with their whole length, even if only a part overlaps. */
  async overlapping(siteIds: readonly number[], { from, until }: TimeSpan): Promise<MonitorSpan[]> {
    const rows = await this.#db('monitor_spans')
      .whereIn('site_id', [...siteIds])
      .where('ended_at', '>', from)
      .where('started_at', '<', until)
      .select<SpanRow[]>('site_id', 'kind', 'started_at', 'ended_at');
    return rows.map((row) => ({
      siteId: row.site_id,
      kind: row.kind,
      from: Number(row.started_at),
      until: Number(row.ended_at),
    }));
  }

  async firstWatchedTimes(siteIds: readonly number[]): Promise<Map<number, number>> {
    const rows = await this.#db('monitor_spans')
      .whereIn('site_id', [...siteIds])
      .whereIn('kind', ['watched', 'estimated'])
      .groupBy('site_id')
      .min({ first: 'started_at' })
      .select<{ site_id: number; first: number | string }[]>('site_id');
    return new Map(rows.map(({ site_id, first }) => [site_id, Number(first)]));
  }

  prune(before: number): Promise<number> {
    const key = ['site_id', 'kind', 'started_at'];
    return deleteOldest(this.#db, { table: 'monitor_spans', key, column: 'ended_at', before });
  }
}
