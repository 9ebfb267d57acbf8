import { currencyDecimals, type Settings } from '../settings/index.ts';
import type { StoredBucket } from './bucket.ts';
import { toPriceUnits } from './price.ts';
import type { PriceSource, BillingTerms, BillingRelevantTask } from './task.ts';

export type TrackerSettings = Settings<'time-tracker'>;

export type TrackerSettingOverrides = { readonly [N in keyof TrackerSettings]?: TrackerSettings[N] };

export interface ClientTrackerSettings {
  clientId: number;
  overrides: boolean;
  own: TrackerSettingOverrides;
  defaultBucketId: number | null;
  revision: number;
}

export const noClientTrackerSettings = (clientId: number): ClientTrackerSettings => ({
  clientId,
  overrides: false,
  own: {},
  defaultBucketId: null,
  revision: 0,
});

export const effectiveTrackerSettings = (all: TrackerSettings, client: ClientTrackerSettings | null): TrackerSettings =>
  client?.overrides ? { ...all, ...client.own } : all;

export function billingTermsOf(
  task: Pick<BillingRelevantTask, 'hourlyUnits'>,
  bucket: Pick<StoredBucket, 'hourlyUnits' | 'currency'> | null,
  all: TrackerSettings,
  client: ClientTrackerSettings | null,
): BillingTerms {
  const settings = effectiveTrackerSettings(all, client);
  const [hourlyUnits, source] = hourlyPriceOf(task, bucket, settings, client);
  const rounding = { mode: settings.rounding_mode, minutes: settings.rounding_minutes };
  const currency = bucket?.currency ?? settings.currency;
  return {
    hourlyUnits,
    source,
    currency,
    decimals: settings.decimals ?? currencyDecimals(currency),
    rounding: settings.rounding_enabled === 1 ? rounding : null,
  };
}

function hourlyPriceOf(
  task: Pick<BillingRelevantTask, 'hourlyUnits'>,
  bucket: Pick<StoredBucket, 'hourlyUnits'> | null,
  settings: TrackerSettings,
  client: ClientTrackerSettings | null,
): [number, PriceSource] {
  if (task.hourlyUnits !== null) return [task.hourlyUnits, 'task'];
  if (bucket && bucket.hourlyUnits !== null) return [bucket.hourlyUnits, 'bucket'];
  const isOwn = client?.overrides === true && client.own.default_hourly_price !== undefined;
  return [toPriceUnits(settings.default_hourly_price), isOwn ? 'client' : 'settings'];
}
