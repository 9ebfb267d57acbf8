import type { Knex } from 'knex';
import { lockForUpdate } from '../../db/dialect.ts';
import { truncate } from '../../shared/text.ts';
import type { SslError } from './ssl-check.ts';
import type { SslStateInput, SslFault, SslState, SslWeakness } from './ssl-state.ts';

export interface SslMonitor {
  siteId: number;
  state: SslState;
  fault: SslFault | null;
  error: SslError | null;
  /** Days before the expiry from which the state is `expiring`. Null if the threshold of the settings applies. */
  thresholdDays: number | null;
  lastCheckAt: number | null;
  fingerprint: string | null;
  validFrom: number | null;
  validTo: number | null;
  protocol: string | null;
  cipher: string | null;
  chainLength: number;
  weaknesses: readonly SslWeakness[];
}

export interface SslMonitorRow {
  site_id: number;
  state: SslState;
  fault: SslFault | null;
  error_code: SslError['code'] | null;
  error_message: string | null;
  threshold_days: number | null;
  last_check_at: number | null;
  fingerprint: string | null;
  valid_from: number | null;
  valid_to: number | null;
  protocol: string | null;
  cipher: string | null;
  chain_length: number;
  weaknesses: string;
}

export const SSL_MONITOR_COLUMNS = [
  'ssl_monitors.site_id',
  'ssl_monitors.state',
  'ssl_monitors.fault',
  'ssl_monitors.error_code',
  'ssl_monitors.error_message',
  'ssl_monitors.threshold_days',
  'ssl_monitors.last_check_at',
  'ssl_monitors.fingerprint',
  'ssl_monitors.valid_from',
  'ssl_monitors.valid_to',
  'ssl_monitors.protocol',
  'ssl_monitors.cipher',
  'ssl_monitors.chain_length',
  'ssl_monitors.weaknesses',
] as const;

const LONGEST_MESSAGE = 300;

export const toSslMonitor = (row: SslMonitorRow): SslMonitor => ({
  siteId: row.site_id,
  state: row.state,
  fault: row.fault,
  error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? '' },
  thresholdDays: row.threshold_days,
  lastCheckAt: row.last_check_at,
  fingerprint: row.fingerprint,
  validFrom: row.valid_from,
  validTo: row.valid_to,
  protocol: row.protocol,
  cipher: row.cipher,
  chainLength: row.chain_length,
  weaknesses: row.weaknesses === '' ? [] : (row.weaknesses.split(',') as SslWeakness[]),
});

const toRow = (monitor: SslMonitor): SslMonitorRow => ({
  site_id: monitor.siteId,
  state: monitor.state,
  fault: monitor.fault,
  error_code: monitor.error?.code ?? null,
  error_message: monitor.error && truncate(monitor.error.message, LONGEST_MESSAGE),
  threshold_days: monitor.thresholdDays,
  last_check_at: monitor.lastCheckAt,
  fingerprint: monitor.fingerprint,
  valid_from: monitor.validFrom,
  valid_to: monitor.validTo,
  protocol: monitor.protocol,
  cipher: monitor.cipher,
  chain_length: monitor.chainLength,
  weaknesses: monitor.weaknesses.join(','),
});

export const uncheckedMonitor = (siteId: number): SslMonitor => ({
  siteId,
  state: 'unknown',
  fault: null,
  error: null,
  thresholdDays: null,
  lastCheckAt: null,
  fingerprint: null,
  validFrom: null,
  validTo: null,
  protocol: null,
  cipher: null,
  chainLength: 0,
  weaknesses: [],
});

export const stateInputOf = ({ lastCheckAt, fault, validFrom, validTo }: SslMonitor): SslStateInput => ({
  isChecked: lastCheckAt !== null,
  fault,
  validFrom,
  validTo,
});

export class SslMonitorRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /**
   * Locks the monitors of these sites until the transaction ends, in the order of the site IDs. Creates missing rows;
   * leaves out sites that are deleted.
   */
  async lock(siteIds: readonly number[]): Promise<Map<number, SslMonitor>> {
    const monitors = await this.#locked(siteIds);
    const missing = siteIds.filter((id) => !monitors.has(id));
    if (missing.length === 0) return monitors;
    const present = await lockForUpdate(this.#db, this.#db('sites').whereIn('id', missing).orderBy('id').select('id'));
    if (present.length === 0) return monitors;
    await this.#db('ssl_monitors')
      .insert(present.map(({ id }: { id: number }) => toRow(uncheckedMonitor(id))))
      .onConflict('site_id')
      .ignore();
    return new Map([...monitors, ...(await this.#locked(missing))]);
  }

  async #locked(siteIds: readonly number[]): Promise<Map<number, SslMonitor>> {
    const rows = await lockForUpdate(
      this.#db,
      this.#db('ssl_monitors')
        .whereIn('site_id', [...siteIds])
        .orderBy('site_id')
        .select<SslMonitorRow[]>(...SSL_MONITOR_COLUMNS),
    );
    return new Map(rows.map((row) => [row.site_id, toSslMonitor(row)]));
  }

  /** Keeps the thresholds of stored monitors. Call `lock` before, because it creates missing rows. */
  async storeChecked(monitors: readonly SslMonitor[]): Promise<void> {
    if (monitors.length === 0) return;
    const { site_id: _id, threshold_days: _threshold, ...checked } = toRow(uncheckedMonitor(0));
    await this.#db('ssl_monitors').insert(monitors.map(toRow)).onConflict('site_id').merge(Object.keys(checked));
  }

  async setThreshold(siteId: number, thresholdDays: number | null): Promise<void> {
    await this.#db('ssl_monitors').where({ site_id: siteId }).update({ threshold_days: thresholdDays });
  }
}
