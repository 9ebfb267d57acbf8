import type { Timing } from '../../part.ts';
import { DAY, HOUR, SECOND } from '../../shared/clock.ts';
import type { Settings } from '../settings/index.ts';
import type { StrategyChoice } from './audit.ts';

type Group = Settings<'perf-audit'>;

/** The settings as audits know them. */
export interface AuditSettings {
  provider: Group['provider'];
  strategy: StrategyChoice;
  locale: string;
  /** Performance below it is told; 0 tells nothing. */
  threshold: number;
  /** A younger audit is not made anew unless it is forced. */
  minimumAgeMs: number;
  /** Audits that are under way at a time. */
  atOnce: number;
  /** Of an audit for one device. */
  deadlineMs: number;
  memoryBytes: number;
  keptForMs: number;
}

const MEGABYTE = 1024 * 1024;

export const auditSettings = (group: Group): AuditSettings => ({
  provider: group.provider,
  strategy: group.strategy,
  locale: group.language,
  threshold: group.score_threshold,
  minimumAgeMs: group.minimum_age_hours * HOUR,
  atOnce: group.maximum_audits,
  deadlineMs: group.timeout_seconds * SECOND,
  memoryBytes: group.memory_megabytes * MEGABYTE,
  keptForMs: group.retention_days * DAY,
});

/** At night; null while nobody wants audits that begin by themselves. */
export function auditTiming({ automatic, frequency }: Group, timeZone: string): Timing | null {
  if (automatic !== 1) return null;
  const days = { daily: '* * *', weekly: '* * 1', monthly: '1 * *' }[frequency];
  return { pattern: `30 1 ${days}`, timeZone };
}
