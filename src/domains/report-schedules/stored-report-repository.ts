import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { Knex } from 'knex';
import { chunks } from '../../db/chunks.ts';
import { readBinaryParts, writeBinaryParts } from '../../db/binary-parts.ts';
import { deleteOldest } from '../../db/delete-oldest.ts';
import { lockForClaim, lockForUpdate } from '../../db/dialect.ts';
import { fromJson, toJson } from '../../db/json.ts';
import { NotFoundError } from '../../shared/errors.ts';
import { isLimited } from '../../shared/site-scope.ts';
import { truncate, nameKeyOf } from '../../shared/text.ts';
import type {
  StoredReport,
  MadeReport,
  QueuedReport,
  ReleaseState,
  ReportFault,
  ReportState,
} from './stored-report.ts';
import type { FileFormat, Frequency } from './report-schedule.ts';
import type { ReportMailLook } from './ports.ts';
import { whereReportInScope, type ReportScope } from './report-scope-read-model.ts';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

interface JobItemFaultRow {
  identifier: string;
  error_code: string;
  error_message: string | null;
}

export interface StoredReportRow {
  id: number;
  schedule_id: number | null;
  about: 'site' | 'client';
  site_id: number | null;
  client_id: number | null;
  name: string;
  url: string;
  frequency: Frequency;
  start_date: string;
  end_date: string;
  zone: string;
  state: ReportState;
  error_code: string | null;
  error_message: string | null;
  pdf_error_code: string | null;
  pdf_error_message: string | null;
  html_size: number | null;
  pdf_size: number | null;
  summary: string;
  language: string;
  own_text: string | null;
  recipients: string;
  subject: string | null;
  file_name: string;
  sites_count: number;
  job_id: string | null;
  mail_id: number | null;
  release_state: ReleaseState;
  held_at: number | null;
  created_at: number;
  made_at: number | null;
}

export const REPORT_COLUMNS = [
  ...(['id', 'schedule_id', 'about', 'site_id', 'client_id', 'name', 'url', 'frequency', 'start_date'] as const),
  ...(['end_date', 'zone', 'state', 'error_code', 'error_message', 'pdf_error_code', 'pdf_error_message'] as const),
  ...([
    'html_size',
    'pdf_size',
    'summary',
    'language',
    'own_text',
    'recipients',
    'subject',
    'file_name',
    'sites_count',
    'job_id',
    'mail_id',
  ] as const),
  ...(['release_state', 'held_at', 'created_at', 'made_at'] as const),
] satisfies (keyof StoredReportRow)[];

const storedReportFault = (code: string | null, message: string | null): ReportFault | null =>
  code === null ? null : { code, message: message ?? '' };

export const toReport = (row: StoredReportRow): StoredReport => ({
  id: row.id,
  scheduleId: row.schedule_id,
  about: row.about,
  siteId: row.site_id,
  clientId: row.client_id,
  name: row.name,
  url: row.url,
  frequency: row.frequency,
  startDate: row.start_date,
  endDate: row.end_date,
  zone: row.zone,
  state: row.state,
  fault: storedReportFault(row.error_code, row.error_message),
  pdfFault: storedReportFault(row.pdf_error_code, row.pdf_error_message),
  htmlSize: row.html_size,
  pdfSize: row.pdf_size,
  summary: fromJson<string[]>(row.summary) ?? [],
  language: row.language,
  text: row.own_text,
  recipients: fromJson<string[]>(row.recipients) ?? [],
  subject: row.subject,
  fileName: row.file_name,
  sitesCount: row.sites_count,
  jobId: row.job_id,
  mailId: row.mail_id,
  releaseState: row.release_state,
  heldAt: row.held_at,
  createdAt: row.created_at,
  madeAt: row.made_at,
});

export const reportNotFound = (): NotFoundError =>
  new NotFoundError('svc_report_not_found', 'No report has this ID, or the report has passed its retention period.');

const LONGEST_MESSAGE = 500;
const PARTS = 'kept_report_parts';

/**
 * True if files of this format are compressed. HTML shrinks to a fifth of its size. The content of a PDF is already
 * compressed.
 */
const isCompressed = (format: FileFormat): boolean => format === 'html';

/** Compresses the files of a report. Call this outside of transactions, because it takes time. */
export async function compressFiles(files: ReadonlyMap<FileFormat, Uint8Array>): Promise<CompressedFile[]> {
  const entries = [...files].map(async ([format, bytes]) => {
    const kept = isCompressed(format) ? await compress(bytes) : bytes;
    return { format, size: bytes.length, kept };
  });
  return Promise.all(entries);
}

export interface CompressedFile {
  format: FileFormat;
  size: number;
  kept: Uint8Array;
}

export class StoredReportRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async insert(report: QueuedReport, now: number): Promise<number> {
    const [id] = await this.#db('kept_reports').insert({
      schedule_id: report.scheduleId,
      about: report.about,
      site_id: report.siteId,
      client_id: report.clientId,
      shown_client_id: report.clientId,
      name: report.name,
      name_key: nameKeyOf(report.name),
      url: report.url,
      frequency: report.frequency,
      start_date: report.startDate,
      end_date: report.endDate,
      zone: report.zone,
      own_text: report.text,
      state: 'queued',
      summary: toJson([]),
      recipients: toJson([]),
      file_name: '',
      sites_count: 0,
      created_at: now,
    });
    return id as number;
  }

  async setJob(ids: readonly number[], jobId: string): Promise<void> {
    await this.#db('kept_reports')
      .whereIn('id', [...ids])
      .update({ job_id: jobId });
  }

  async find(scope: ReportScope, id: number): Promise<StoredReport | null> {
    const query = this.#db('kept_reports').where({ id });
    whereReportInScope(this.#db, query, scope);
    const row = await query.first<StoredReportRow | undefined>(...REPORT_COLUMNS);
    return row ? toReport(row) : null;
  }

  /**
   * Locks a report, but not its sites. Checks a limited scope before the lock: a report outside the scope is not locked
   * and costs the same SQL as a missing one, so that the duration does not show that it exists. Checks it again after
   * the lock, because the report may have changed.
   */
  async lock(scope: ReportScope, id: number): Promise<StoredReport | null> {
    if (isLimited(scope.sites) && !(await this.find(scope, id))) return null;
    const query = this.#db('kept_reports')
      .where({ id })
      .select<StoredReportRow[]>(...REPORT_COLUMNS);
    const [row]: StoredReportRow[] = await lockForUpdate(this.#db, query);
    if (row && isLimited(scope.sites)) return this.find(scope, id);
    return row ? toReport(row) : null;
  }

  async saveMade(
    id: number,
    made: MadeReport,
    mailLook: ReportMailLook,
    files: readonly CompressedFile[],
    now: number,
  ): Promise<void> {
    const fileSizeOf = (format: FileFormat): number | null =>
      files.find((file) => file.format === format)?.size ?? null;
    await this.#db('kept_reports')
      .where({ id })
      .update({
        state: 'made',
        error_code: null,
        error_message: null,
        pdf_error_code: made.pdfFault?.code ?? null,
        pdf_error_message: made.pdfFault && truncate(made.pdfFault.message, LONGEST_MESSAGE),
        html_size: fileSizeOf('html'),
        pdf_size: fileSizeOf('pdf'),
        client_id: made.clientId,
        shown_client_id: made.clientId,
        zone: made.zone,
        summary: toJson(made.summary),
        language: made.language,
        recipients: toJson(made.recipients),
        subject: made.subject,
        file_name: made.fileName,
        sites_count: made.sitesCount,
        mail_look: toJson(mailLook),
        made_at: now,
      });
    for (const { format, kept } of files)
      await writeBinaryParts(this.#db, { table: PARTS, key: { report_id: id, format } }, kept);
  }

  async setSites(id: number, siteIds: readonly number[]): Promise<void> {
    const rows = siteIds.map((siteId) => ({ report_id: id, site_id: siteId }));
    for (const chunk of chunks(rows)) await this.#db('kept_report_sites').insert(chunk);
  }

  async siteIds(id: number): Promise<number[]> {
    return this.#db('kept_report_sites').where({ report_id: id }).pluck<number[]>('site_id');
  }

  async saveFailed(id: number, { code, message }: ReportFault): Promise<void> {
    const fault = { error_code: code, error_message: truncate(message, LONGEST_MESSAGE) };
    await this.#db('kept_reports')
      .where({ id })
      .whereNot({ state: 'made' })
      .update({ state: 'failed', ...fault });
  }

  async hold(id: number, now: number): Promise<void> {
    await this.#db('kept_reports').where({ id }).update({ release_state: 'waiting', held_at: now });
  }

  async setReleaseState(id: number, state: ReleaseState): Promise<void> {
    await this.#db('kept_reports').where({ id }).update({ release_state: state });
  }

  async lockWaitingOf(scheduleId: number): Promise<StoredReport[]> {
    const query = this.#db('kept_reports')
      .where({ release_state: 'waiting', schedule_id: scheduleId })
      .orderBy('id')
      .select<StoredReportRow[]>(...REPORT_COLUMNS);
    const rows: StoredReportRow[] = await lockForUpdate(this.#db, query);
    return rows.map(toReport);
  }

  async claimUnreminded(heldBefore: number, most: number): Promise<StoredReport[]> {
    const query = this.#db('kept_reports')
      .where({ release_state: 'waiting' })
      .whereNull('reminded_at')
      .where('held_at', '<=', heldBefore)
      .orderBy('id')
      .limit(most)
      .select<StoredReportRow[]>(...REPORT_COLUMNS);
    const rows: StoredReportRow[] = await lockForClaim(this.#db, query);
    return rows.map(toReport);
  }

  async setReminded(ids: readonly number[], now: number): Promise<void> {
    await this.#db('kept_reports')
      .whereIn('id', [...ids])
      .update({ reminded_at: now });
  }

  async addMail(id: number, mailId: number): Promise<void> {
    await this.#db('kept_report_mails').insert({ report_id: id, mail_id: mailId });
    await this.#db('kept_reports').where({ id }).update({ mail_id: mailId });
  }

  /** Returns null for a report that an earlier version of this service made. */
  async mailLook(id: number): Promise<ReportMailLook | null> {
    const [look] = await this.#db('kept_reports').where({ id }).pluck<(string | null)[]>('mail_look');
    return look == null ? null : fromJson<ReportMailLook>(look);
  }

  /** Returns null if the report was deleted meanwhile. */
  async bytes(id: number, format: FileFormat): Promise<Buffer | null> {
    const kept = await readBinaryParts(this.#db, { table: PARTS, key: { report_id: id, format } });
    if (kept.length === 0) return null;
    return isCompressed(format) ? decompress(kept) : kept;
  }

  async queued(): Promise<{ id: number; jobId: string | null }[]> {
    const query = this.#db('kept_reports').where({ state: 'queued' });
    const rows = await query.orderBy('id').select<{ id: number; job_id: string | null }[]>('id', 'job_id');
    return rows.map(({ id, job_id: jobId }) => ({ id, jobId }));
  }

  /** Returns the errors of the items of these jobs by report ID. */
  async faultsOfJobs(jobIds: readonly string[]): Promise<Map<number, ReportFault>> {
    const faults = new Map<number, ReportFault>();
    for (const some of chunks([...new Set(jobIds)])) {
      const items = await this.#db('job_items')
        .whereIn('job_id', some)
        .whereNotNull('error_code')
        .select<JobItemFaultRow[]>('identifier', 'error_code', 'error_message');
      for (const { identifier, error_code: code, error_message: message } of items)
        faults.set(Number(identifier), { code, message: message ?? '' });
    }
    return faults;
  }

  unmadeOf(scheduleId: number): Promise<number[]> {
    return this.#db('kept_reports')
      .where({ schedule_id: scheduleId })
      .whereIn('state', ['queued', 'failed'])
      .pluck<number[]>('id');
  }

  async deleteQueuedOf(scheduleIds: readonly number[]): Promise<void> {
    if (scheduleIds.length === 0) return;
    await this.#db('kept_reports')
      .where({ state: 'queued' })
      .whereIn('schedule_id', [...scheduleIds])
      .delete();
  }

  async delete(id: number): Promise<void> {
    await this.#db('kept_reports').where({ id }).delete();
  }

  deleteOlder(before: number, most: number): Promise<number> {
    return deleteOldest(this.#db, { table: 'kept_reports', column: 'created_at', before, most });
  }
}
