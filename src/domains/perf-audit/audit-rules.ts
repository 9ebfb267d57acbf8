import {
  SCORES,
  STRATEGIES,
  type AuditFault,
  type AuditSide,
  type AuditSides,
  type AuditState,
  type Scores,
  type Strategy,
  type StrategyChoice,
} from './audit.ts';

/** The devices of a choice. */
export const strategiesOf = (choice: StrategyChoice): readonly Strategy[] =>
  choice === 'both' ? STRATEGIES : [choice];

/** A device that the setting leaves out is not shown, whatever is known of it. */
export const shownSides = (sides: AuditSides, choice: StrategyChoice): AuditSides => {
  const shown = strategiesOf(choice);
  return {
    desktop: shown.includes('desktop') ? sides.desktop : null,
    mobile: shown.includes('mobile') ? sides.mobile : null,
  };
};

/** The lowest performance of the devices; null while there is none. */
export function scoreOf(sides: AuditSides): number | null {
  const known = STRATEGIES.flatMap((strategy) => sides[strategy]?.scores.performance ?? []);
  return known.length === 0 ? null : Math.min(...known);
}

/** Any performance score under the threshold; 0 is under no threshold. */
export const isBelow = (sides: AuditSides, threshold: number): boolean => {
  const score = scoreOf(sides);
  return score !== null && score < threshold;
};

/** How the performance moved since the audit before; null where one of them gave none. */
export const changeOf = ({ scores, previous }: Pick<AuditSide, 'scores' | 'previous'>): number | null =>
  scores.performance === null || previous?.performance == null ? null : scores.performance - previous.performance;

/** Whether an audit that is queued or under way stands for another one that is asked for now. */
export const isUnderWay = (state: AuditState, isJobAtWork: boolean): boolean =>
  (state === 'queued' || state === 'running') && isJobAtWork;

/** Young enough that nobody needs another, unless they insist. */
export const isRecent = (
  { state, lastCheckAt }: { state: AuditState; lastCheckAt: number | null },
  { now, minimumAgeMs }: { now: number; minimumAgeMs: number },
): boolean => state === 'completed' && lastCheckAt !== null && now - lastCheckAt < minimumAgeMs;

/** A job that was cancelled, or is gone, begins nothing more: what it left open has failed. */
export function shownState(
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

/** What a device's newest finding becomes: the one before is remembered by its scores. */
export const sideAfter = (
  before: Pick<AuditSide, 'scores'> | null,
  finding: Omit<AuditSide, 'previous'>,
): AuditSide => ({ ...finding, previous: before?.scores ?? null });

export const hasScore = (scores: Scores): boolean => SCORES.some((name) => scores[name] !== null);
