import type { CronTiming } from '../../platform/part.ts';
import { DAY, HOUR, SECOND } from '../../shared/clock.ts';
import type { Settings } from '../settings/index.ts';
import type { StrategyChoice } from './audit.ts';

type AuditSettingsGroup = Settings<'perf-audit'>;

export interface AuditSettings {
  provider: AuditSettingsGroup['provider'];
  strategy: StrategyChoice;
  locale: string;
  /** Performance score below which an alert is raised. 0 raises none. */
  threshold: number;
  /** A younger audit is repeated only if `force` is true. */
  minimumAgeMs: number;
  maxConcurrent: number;
  /** Time limit for the audit of one device. */
  deadlineMs: number;
  memoryBytes: number;
  retentionMs: number;
}

const MEGABYTE = 1024 * 1024;

export const toAuditSettings = (group: AuditSettingsGroup): AuditSettings => ({
  provider: group.provider,
  strategy: group.strategy,
  locale: group.language,
  threshold: group.score_threshold,
  minimumAgeMs: group.minimum_age_hours * HOUR,
  maxConcurrent: group.maximum_audits,
  deadlineMs: group.timeout_seconds * SECOND,
  memoryBytes: group.memory_megabytes * MEGABYTE,
  retentionMs: group.retention_days * DAY,
});

export function auditTiming({ automatic, frequency }: AuditSettingsGroup, timeZone: string): CronTiming | null {
  if (automatic !== 1) return null;
  const days = { daily: '* * *', weekly: '* * 1', monthly: '1 * *' }[frequency];
  return { pattern: `30 1 ${days}`, timeZone };
}
