import { isPossibleTime } from '../../shared/clock.ts';
import {
  SCORE_NAMES,
  STRATEGIES,
  type AuditFault,
  type DeviceAudit,
  type DeviceAudits,
  type AuditState,
  type Scores,
  type Strategy,
  type StrategyChoice,
} from './audit.ts';

export const strategiesOf = (choice: StrategyChoice): readonly Strategy[] =>
  choice === 'both' ? STRATEGIES : [choice];

export const pickDeviceAudits = (sides: DeviceAudits, choice: StrategyChoice): DeviceAudits => {
  const shown = strategiesOf(choice);
  return {
    desktop: shown.includes('desktop') ? sides.desktop : null,
    mobile: shown.includes('mobile') ? sides.mobile : null,
  };
};

export function lowestPerformanceScore(sides: DeviceAudits): number | null {
  const known = STRATEGIES.flatMap((strategy) => sides[strategy]?.scores.performance ?? []);
  return known.length === 0 ? null : Math.min(...known);
}

export const isScoreBelow = (sides: DeviceAudits, threshold: number): boolean => {
  const score = lowestPerformanceScore(sides);
  return score !== null && score < threshold;
};

export const performanceScoreChange = ({ scores, previous }: Pick<DeviceAudit, 'scores' | 'previous'>): number | null =>
  scores.performance === null || previous?.performance == null ? null : scores.performance - previous.performance;

export const isUnderWay = (state: AuditState, isJobAtWork: boolean): boolean =>
  (state === 'queued' || state === 'running') && isJobAtWork;

export const isRecent = (
  { state, lastCheckAt }: { state: AuditState; lastCheckAt: number | null },
  { now, minimumAgeMs }: { now: number; minimumAgeMs: number },
): boolean =>
  state === 'completed' && lastCheckAt !== null && now - lastCheckAt < minimumAgeMs && isPossibleTime(lastCheckAt, now);

/**
 * Returns the state that callers see. A job that was cancelled or deleted does not continue, so its open audit is shown
 * as failed.
 */
export function visibleAuditState(
  { state, error }: { state: AuditState; error: AuditFault | null },
  isJobAtWork: boolean,
): { state: AuditState; error: AuditFault | null } {
  const isOpen = state === 'queued' || state === 'running';
  if (!isOpen || isJobAtWork) return { state, error };
  return {
    state: 'failed',
    error: { code: 'interrupted', message: 'The job of this audit ended before the audit did.' },
  };
}

export const withPreviousScores = (
  before: Pick<DeviceAudit, 'scores'> | null,
  finding: Omit<DeviceAudit, 'previous'>,
): DeviceAudit => ({ ...finding, previous: before?.scores ?? null });

export const hasScore = (scores: Scores): boolean => SCORE_NAMES.some((name) => scores[name] !== null);
