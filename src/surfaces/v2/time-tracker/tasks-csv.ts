import type { Readable } from 'node:stream';
import type { TaskRecord } from '../../../domains/time-tracker/index.ts';
import { csvBody } from '../csv.ts';
import { taskFieldsView } from './view.ts';

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
] as const satisfies (keyof ReturnType<typeof taskFieldsView>)[];

/** Formats a number without an exponent, which some localized spreadsheets treat as text. */
const formatNumber = (value: number): string =>
  Number.isInteger(value) ? String(value) : value.toFixed(8).replace(/0+$/, '');

export const tasksCsv = (pages: AsyncIterable<TaskRecord[]>): { body: Readable; contentType: string } =>
  csvBody(pages, taskFieldsView, {
    columns: [...COLUMNS],
    escape_formulas: true,
    cast: { number: formatNumber, boolean: String },
  });
