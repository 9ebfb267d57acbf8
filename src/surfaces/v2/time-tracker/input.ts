import type { components } from '../../../../generated/v2.ts';
import type {
  BucketPatch,
  ClientSettingsPatch,
  NewBucket,
  NewTask,
  TimerOperator,
  TaskFilter,
  TaskPatch,
} from '../../../domains/time-tracker/index.ts';
import type { Caller } from '../../../shared/caller.ts';
import { parseDay } from '../../../shared/calendar.ts';
import { throwFieldError } from '../../../shared/field-errors.ts';
import { dropEmptyFilters, undefinedIfAny } from '../query-helpers.ts';

type Schemas = components['schemas'];

export const toOperator = ({ userId, name }: Caller): TimerOperator => ({ userId, name });

const omitUndefined = <T extends object>(fields: T): T =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;

export const taskPatchOf = (body: Schemas['TimeTaskEdit']): TaskPatch =>
  omitUndefined({
    title: body.title,
    clientId: body.client_id,
    description: body.description === null ? '' : body.description,
    siteId: body.site_id,
    bucketId: body.bucket_id,
    paymentStatus: body.payment_status,
    timerMode: body.timer_mode,
    billable: body.billable,
    hourlyPrice: body.hourly_price,
    taskDate: body.task_date,
    elapsedSeconds: body.elapsed_seconds,
  });

export const newTaskOf = (body: Schemas['TimeTaskAdd']): NewTask => ({
  ...taskPatchOf(body),
  title: body.title,
  clientId: body.client_id,
});

export const bucketPatchOf = (body: Schemas['TimeBucketEdit']): BucketPatch =>
  omitUndefined({
    title: body.title,
    description: body.description === null ? '' : body.description,
    hours: body.hours,
    price: body.price,
    currency: body.currency,
    recurrence: body.recurrence,
    carryOver: body.carry_over,
    periodStart: body.period_start,
    clients: body.clients === null ? [] : body.clients,
    archived: body.status && body.status === 'archived',
  });

export const newBucketOf = (body: Schemas['TimeBucketAdd']): NewBucket => ({
  ...bucketPatchOf(body),
  title: body.title,
  hours: body.hours,
});

export function clientSettingsPatchOf(body: Schemas['TimeClientSettingsEdit']): ClientSettingsPatch {
  const { override, default_bucket_id: defaultBucketId, ...own } = body;
  return omitUndefined({
    overrides: override === undefined ? undefined : override === 1,
    defaultBucketId,
    own,
  });
}

interface TaskQuery {
  status: TaskFilter['status'] | 'any';
  payment_status: TaskFilter['paymentStatus'] | 'any';
  client_id?: number;
  site_id?: number;
  bucket_id?: number;
  billable?: boolean;
  date_from?: string;
  date_to?: string;
  search?: string;
}

export function taskFilterOf(query: TaskQuery): TaskFilter {
  const { date_from: dateFrom, date_to: dateTo, billable, search } = query;
  for (const [name, day] of Object.entries({ dateFrom, dateTo }))
    if (day !== undefined && parseDay(day) === null) throwFieldError(name, 'must be a date such as 2026-11-21');
  return dropEmptyFilters({
    status: undefinedIfAny(query.status ?? 'any'),
    paymentStatus: undefinedIfAny(query.payment_status ?? 'any'),
    clientId: query.client_id,
    siteId: query.site_id,
    bucketId: query.bucket_id,
    billable,
    dateFrom,
    dateTo,
    search,
  });
}

export const fieldNames = { archived: 'status', own: 'override' };
