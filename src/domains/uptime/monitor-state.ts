/**
 * What a monitor makes of its checks.
 *
 * One lost check never raises an alarm, two lost checks in a row always do. A confirmation is a check like any other:
 * where it is wanted, it follows the first lost check at once, and where not, the next check in time takes its place.
 */

/** `first` was never checked; `pending` has lost one check and waits for the next. */
export const MONITOR_STATES = ['first', 'up', 'pending', 'down'] as const;
export type MonitorState = (typeof MONITOR_STATES)[number];

/** What a check leads to. */
export type CheckedState = Exclude<MonitorState, 'first'>;

export interface Transition {
  state: CheckedState;
  /** The monitor went down with this check. */
  opens: boolean;
  /** It came back with it. */
  closes: boolean;
}

/** Lost checks in a row that are known of a state; more than two make no difference. */
const LOST: Record<MonitorState, 0 | 1 | 2> = { first: 0, up: 0, pending: 1, down: 2 };

/** The state behind a check and, where there was one, its confirmation: whether each found the site up. */
export function transition(before: MonitorState, outcomes: readonly boolean[]): Transition {
  const lost = outcomes.reduce<number>((count, isUp) => (isUp ? 0 : count + 1), LOST[before]);
  const state = lost === 0 ? 'up' : lost === 1 ? 'pending' : 'down';
  return { state, opens: state === 'down' && before !== 'down', closes: before === 'down' && state !== 'down' };
}

/** Whether a lost check is to be made once more at once: only where the second in a row would change something. */
export const needsConfirmation = (before: MonitorState, isWanted: boolean): boolean => isWanted && LOST[before] === 0;
