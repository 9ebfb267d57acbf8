import type { components } from '../../../../generated/v2.ts';
import { moneyText, withDecimals } from '../../../domains/settings/index.ts';
import {
  amountToNumber,
  fromPriceUnits,
  type BucketRecord,
  type EffectiveClientSettings,
  type TaskDetail,
  type TaskTimeEntry,
  type TaskRecord,
  type ClientTimeTotals,
  type TrackedClientDetail,
} from '../../../domains/time-tracker/index.ts';
import { toIso } from '../../../shared/clock.ts';

type Schemas = components['schemas'];

function durationText(seconds: number): string {
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}

const secondsToHours = (seconds: number): number => Math.round(seconds / 36) / 100;

/** Returns the fields that the JSON and the CSV of a task have in common. */
export const taskFieldsView = (task: TaskRecord) => ({
  id: task.id,
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
  hourly_price: fromPriceUnits(task.terms.hourlyUnits),
  currency: task.terms.currency,
  elapsed_seconds: task.elapsedSeconds,
  billed_seconds: task.settlement?.seconds ?? null,
  duration: durationText(task.settlement?.seconds ?? task.elapsedSeconds),
  total_price: amountToNumber(task.total),
  task_date: task.taskDate,
  started_at: toIso(task.timer.startedAt),
  stopped_at: toIso(task.timer.stoppedAt),
  operator: task.operator,
});

export function taskView(task: TaskRecord): Schemas['TimeTask'] {
  const { timer, terms, total, form, remainingSeconds } = task;
  const fields = taskFieldsView(task);
  const format = { ...form, currency: terms.currency, decimals: total.decimals };
  return {
    ...fields,
    timer_mode: task.timerMode,
    hourly_price_source: terms.source,
    remaining_seconds: remainingSeconds,
    over_budget: remainingSeconds === 0,
    total_price_text: moneyText(format, fields.total_price),
    paused_at: toIso(timer.pausedAt),
    created_at: toIso(task.createdAt),
    updated_at: toIso(task.updatedAt),
  };
}

export const taskDetailView = (task: TaskDetail): Schemas['TimeTask'] => ({
  ...taskView(task),
  entries: task.entries.map(entryView),
  entries_total: task.entriesTotal,
});

const entryView = ({ id, kind, startedAt, endedAt, seconds, operator }: TaskTimeEntry): Schemas['TimeEntry'] => ({
  id,
  kind,
  started_at: toIso(startedAt),
  ended_at: toIso(endedAt),
  seconds,
  operator,
});

export const bucketView = ({ standing, ...bucket }: BucketRecord): Schemas['TimeBucket'] => ({
  id: bucket.id,
  title: bucket.title,
  description: bucket.description,
  hours: secondsToHours(bucket.seconds),
  seconds_total: standing.totalSeconds,
  seconds_carried: standing.carriedSeconds,
  seconds_used: standing.usedSeconds,
  seconds_remaining: standing.remainingSeconds,
  hours_used: secondsToHours(standing.usedSeconds),
  hours_remaining: secondsToHours(standing.remainingSeconds),
  price: bucket.hourlyUnits === null ? null : fromPriceUnits(bucket.hourlyUnits),
  currency: bucket.currency,
  recurrence: bucket.recurrence,
  carry_over: bucket.carryOver,
  period_start: standing.period?.start ?? null,
  period_end: standing.period?.end ?? null,
  clients: bucket.clients,
  usage: standing.usage.map(({ clientId, seconds }) => ({ client_id: clientId, seconds_used: seconds })),
  status: standing.status,
  tasks_count: bucket.tasksCount,
  created_at: toIso(bucket.createdAt),
  updated_at: toIso(bucket.updatedAt),
});

export const clientSettingsView = (settings: EffectiveClientSettings): Schemas['TimeClientSettings'] => {
  const { clientId, overrides, own, defaultBucketId, effective } = settings;
  return {
    client_id: clientId,
    override: overrides ? 1 : 0,
    timer_mode: own.timer_mode ?? null,
    currency: own.currency ?? null,
    currency_position: own.currency_position ?? null,
    thousand_separator: own.thousand_separator ?? null,
    decimal_separator: own.decimal_separator ?? null,
    decimals: own.decimals ?? null,
    rounding_enabled: own.rounding_enabled ?? null,
    rounding_mode: own.rounding_mode ?? null,
    rounding_minutes: own.rounding_minutes ?? null,
    default_hourly_price: own.default_hourly_price ?? null,
    default_bucket_id: defaultBucketId,
    effective: withDecimals(effective),
  };
};

export function clientView(client: ClientTimeTotals): Schemas['TimeClient'] {
  const { settings, unbilled } = client;
  return {
    id: client.id,
    name: client.name,
    email: client.email,
    tasks_total: client.inProgress + client.completed,
    tasks_in_progress: client.inProgress,
    tasks_completed: client.completed,
    seconds_total: client.seconds,
    seconds_unbilled: client.unbilledSeconds,
    amount_unbilled: unbilled.find(({ currency }) => currency === settings.currency)?.amount ?? 0,
    currency: settings.currency,
    amounts_unbilled: unbilled,
    buckets_count: client.buckets,
    hours_remaining: secondsToHours(client.remainingSeconds),
    running_task_id: client.runningTaskId,
    last_activity: toIso(client.lastActivity),
  };
}

export const clientDetailView = (client: TrackedClientDetail): Schemas['TimeClient'] => ({
  ...clientView(client),
  settings: clientSettingsView(client.ownSettings),
  tasks: client.tasks.map(taskView),
  buckets: client.openBuckets.map(bucketView),
});
