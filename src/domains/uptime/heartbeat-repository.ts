import type { Knex } from 'knex';
import { deleteOldest } from '../../db/delete-oldest.ts';
import { dayNumberOf, unpackHeartbeatsOfDay, appendBeat, type Heartbeat } from './heartbeat.ts';
import { HourlyFiguresOfDay } from './check-figures.ts';

export interface SiteHeartbeat {
  siteId: number;
  beat: Heartbeat;
  /** False for a check that a caller requested. Such a check is not counted in `CheckFigures`. */
  isScheduled: boolean;
}

interface PackedHeartbeatsRow {
  site_id: number;
  day: number;
  beats: string;
}
interface DailyFiguresRow {
  site_id: number;
  day: number;
  up: number;
  down: number;
  hours: string;
}

const siteDayKeyOf = (siteId: number, day: number): string => `${siteId}/${day}`;

export class HeartbeatRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /** The monitors must be locked, because the text of a day is read, extended and written back. */
  async add(added: readonly SiteHeartbeat[]): Promise<void> {
    if (added.length === 0) return;
    const siteIds = [...new Set(added.map(({ siteId }) => siteId))];
    const days = [...new Set(added.map(({ beat }) => dayNumberOf(beat.at)))];
    const texts = new Map<string, string>();
    const figures = new Map<string, DailyFiguresRow>();
    for (const { site_id, day, beats } of await this.#ofDays('heartbeat_days', siteIds, days).select<
      PackedHeartbeatsRow[]
    >('site_id', 'day', 'beats'))
      texts.set(siteDayKeyOf(site_id, day), beats);
    for (const row of await this.#ofDays('monitor_days', siteIds, days).select<DailyFiguresRow[]>(
      'site_id',
      'day',
      'up',
      'down',
      'hours',
    ))
      figures.set(siteDayKeyOf(row.site_id, row.day), row);
    const touched = new Set<string>();
    const counted = new Set<string>();
    for (const { siteId, beat, isScheduled } of added) {
      const day = dayNumberOf(beat.at);
      const key = siteDayKeyOf(siteId, day);
      touched.add(key);
      texts.set(key, appendBeat(texts.get(key) ?? '', beat));
      if (!isScheduled) continue;
      counted.add(key);
      figures.set(
        key,
        addHeartbeatToFigures(figures.get(key) ?? { site_id: siteId, day, up: 0, down: 0, hours: '' }, beat),
      );
    }
    await this.#db('heartbeat_days')
      .insert([...touched].map((key) => ({ ...parseSiteDayKey(key), beats: texts.get(key) ?? '' })))
      .onConflict(['site_id', 'day'])
      .merge(['beats']);
    if (counted.size === 0) return;
    await this.#db('monitor_days')
      .insert([...counted].flatMap((key) => figures.get(key) ?? []))
      .onConflict(['site_id', 'day'])
      .merge(['up', 'down', 'hours']);
  }

  async ofDays(siteId: number, from: number, to: number): Promise<Heartbeat[]> {
    const rows = await this.#db('heartbeat_days')
      .where({ site_id: siteId })
      .whereBetween('day', [from, to])
      .orderBy('day', 'desc')
      .select<Pick<PackedHeartbeatsRow, 'day' | 'beats'>[]>('day', 'beats');
    return rows.flatMap(({ day, beats }) => unpackHeartbeatsOfDay(day, beats).reverse());
  }

  prune(table: 'heartbeat_days' | 'monitor_days', before: number, most: number): Promise<number> {
    return deleteOldest(this.#db, { table, key: ['site_id', 'day'], column: 'day', before, most });
  }

  #ofDays(table: string, siteIds: readonly number[], days: readonly number[]): Knex.QueryBuilder {
    return this.#db(table)
      .whereIn('site_id', [...siteIds])
      .whereIn('day', [...days]);
  }
}

function addHeartbeatToFigures(row: DailyFiguresRow, beat: Heartbeat): DailyFiguresRow {
  const hours = HourlyFiguresOfDay.of(row.day, row.hours);
  hours.add(beat);
  return {
    ...row,
    up: row.up + Number(beat.state === 'up'),
    down: row.down + Number(beat.state === 'down'),
    hours: hours.packed(),
  };
}

function parseSiteDayKey(key: string): { site_id: number; day: number } {
  const [site_id = 0, day = 0] = key.split('/').map(Number);
  return { site_id, day };
}
