import type { Readable } from 'node:stream';
import { amountToNumber, fromPriceUnits, type TaskRecord } from '../../../domains/time-tracker/index.ts';
import { toIso } from '../../../shared/clock.ts';
import { csvBody } from '../csv.ts';
import { durationText, type taskView } from './view.ts';

const COLUMNS = [
  'id',
  'task_date',
  'title',
  'description',
  'client_id',
  'client_name',
  'site_id',
  'site_url',
  'bucket_id',
  'bucket_title',
  'status',
  'payment_status',
  'billable',
  'operator',
  'started_at',
  'stopped_at',
  'elapsed_seconds',
  'billed_seconds',
  'duration',
  'hourly_price',
  'total_price',
  'currency',
] as const satisfies (keyof ReturnType<typeof taskView>)[];

/** Formats a number without an exponent, which some localized spreadsheets treat as text. */
const formatNumber = (value: number): string =>
  Number.isInteger(value) ? String(value) : value.toFixed(8).replace(/0+$/, '');

const lineOf = (task: TaskRecord): Pick<ReturnType<typeof taskView>, (typeof COLUMNS)[number]> => ({
  id: task.id,
  task_date: task.taskDate,
  title: task.title,
  description: task.description,
  client_id: task.clientId,
  client_name: task.clientName,
  site_id: task.siteId,
  site_url: task.siteUrl,
  bucket_id: task.bucketId,
  bucket_title: task.bucketTitle,
  status: task.timer.status,
  payment_status: task.paymentStatus,
  billable: task.billable,
  operator: task.operator,
  started_at: toIso(task.timer.startedAt),
  stopped_at: toIso(task.timer.stoppedAt),
  elapsed_seconds: task.elapsedSeconds,
  billed_seconds: task.settlement?.seconds ?? null,
  duration: durationText(task.settlement?.seconds ?? task.elapsedSeconds),
  hourly_price: fromPriceUnits(task.terms.hourlyUnits),
  total_price: amountToNumber(task.total),
  currency: task.terms.currency,
});

export const tasksCsv = (pages: AsyncIterable<TaskRecord[]>): { body: Readable; contentType: string } =>
  csvBody(pages, lineOf, {
    columns: [...COLUMNS],
    escape_formulas: true,
    cast: { number: formatNumber, boolean: String },
  });
