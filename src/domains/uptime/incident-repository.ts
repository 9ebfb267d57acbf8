import type { Knex } from 'knex';
import { deleteOldest } from '../../db/delete-oldest.ts';
import { truncate } from '../../shared/text.ts';
import { packHeartbeatWithDay, unpackHeartbeatWithDay, type Heartbeat } from './heartbeat.ts';

/** A period of checks that found a site down. `beat` is the check that opened it. Times are milliseconds since 1970. */
export interface Incident {
  id: number;
  siteId: number;
  startedAt: number;
  endedAt: number | null;
  downCount: number;
  cause: string;
  beat: Heartbeat;
}

interface IncidentRow {
  id: number;
  site_id: number;
  started_at: number;
  ended_at: number | null;
  down_count: number;
  cause: string;
  beat: string;
}

const COLUMNS = ['id', 'site_id', 'started_at', 'ended_at', 'down_count', 'cause', 'beat'] as const;

const toIncident = (row: IncidentRow): Incident => ({
  id: row.id,
  siteId: row.site_id,
  startedAt: row.started_at,
  endedAt: row.ended_at,
  downCount: row.down_count,
  cause: row.cause,
  beat: unpackHeartbeatWithDay(row.beat),
});

export class IncidentRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async open(siteId: number, cause: string, beat: Heartbeat): Promise<Incident> {
    const incident = { siteId, startedAt: beat.at, endedAt: null, downCount: 1, cause, beat };
    const [id] = await this.#db('incidents').insert({
      site_id: siteId,
      started_at: beat.at,
      ended_at: null,
      down_count: 1,
      cause: truncate(cause, 500),
      beat: packHeartbeatWithDay(beat),
    });
    return { id: id as number, ...incident };
  }

  async countDown(ids: readonly number[]): Promise<void> {
    if (ids.length > 0)
      await this.#db('incidents')
        .whereIn('id', [...ids])
        .increment('down_count', 1);
  }

  async close(id: number, endedAt: number): Promise<Incident | null> {
    await this.#db('incidents').where({ id }).update({ ended_at: endedAt });
    const row = await this.#db('incidents')
      .where({ id })
      .first<IncidentRow | undefined>(...COLUMNS);
    return row ? toIncident(row) : null;
  }

  async page(siteId: number, offset: number, limit: number): Promise<Incident[]> {
    const rows = await this.#db('incidents')
      .where({ site_id: siteId })
      .orderBy([
        { column: 'started_at', order: 'desc' },
        { column: 'id', order: 'desc' },
      ])
      .offset(offset)
      .limit(limit)
      .select<IncidentRow[]>(...COLUMNS);
    return rows.map(toIncident);
  }

  prune(before: number): Promise<number> {
    return deleteOldest(this.#db, { table: 'incidents', column: 'ended_at', before });
  }
}
