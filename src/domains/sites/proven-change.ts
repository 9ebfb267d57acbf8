import { ChildUnreachableError, DomainError, isOutcomeOpen, isStillAtWork } from '../../shared/errors.ts';

/**
 * Sends a change, reads the state back and judges it. Only the state counts: neither the response of the site nor an
 * error of the call decides. If the state cannot be read or the site may still be working, the outcome is unknown, and
 * `LaterLooks` checks the site again. These functions return their findings; the caller decides which error to throw.
 */

export type Attempt<T> = { value: T; broken: null } | { value: null; broken: DomainError };

export async function attempt<T>(call: () => Promise<T>): Promise<Attempt<T>> {
  try {
    return { value: await call(), broken: null };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { value: null, broken: error };
  }
}

export interface SendResult<Answer> {
  /** Null if the call threw. */
  answer: Answer | null;
  broken: DomainError | null;
  /** False if the site was not reached or refused the call. Then nothing has changed. */
  mayHaveRun: boolean;
  /** True if the site may still be working. An unchanged state then proves nothing. */
  atWork: boolean;
}

export interface Proven<Answer, State> extends SendResult<Answer> {
  /** Null if it could not be read, or was not read because the change cannot have run. */
  state: State | null;
  unread: DomainError | null;
}

export interface Change<Answer, State> {
  send: () => Promise<Answer>;
  /** Returns the state in the response if it shows the requested change. Nothing else in a response is proof. */
  stateIn?: (answer: Answer) => State | null;
  /** Reads the state in a separate call. */
  look: () => Promise<State>;
}

export async function sendChange<Answer>(send: () => Promise<Answer>): Promise<SendResult<Answer>> {
  const { value: answer, broken } = await attempt(send);
  return { answer, broken, mayHaveRun: broken === null || isOutcomeOpen(broken), atWork: isStillAtWork(broken) };
}

/** Sends a change once and reads the state back. Skips the read if the change cannot have run. */
export async function proveChange<Answer, State>(change: Change<Answer, State>): Promise<Proven<Answer, State>> {
  const sent = await sendChange(change.send);
  if (!sent.mayHaveRun) return { ...sent, state: null, unread: null };
  const shown = sent.answer === null ? null : (change.stateIn?.(sent.answer) ?? null);
  if (shown !== null) return { ...sent, state: shown, unread: null };
  const { value: state, broken: unread } = await attempt(change.look);
  return { ...sent, state, unread };
}

/**
 * Returns the error that explains more than a verdict: the change cannot have run, or its call failed for good and the
 * state cannot be read either. Otherwise returns null.
 */
export function lostCause({ broken, mayHaveRun, atWork, unread }: Proven<unknown, unknown>): DomainError | null {
  if (!mayHaveRun) return broken;
  // The change was sent. A failed read must not hide the known result.
  if (unread === null || atWork || (broken === null && unread instanceof ChildUnreachableError)) return null;
  return broken ?? unread;
}

export type Verdict = 'done' | 'failed' | 'unknown';

/** Judges a change by the state after it. `reached` returns true if a state shows the requested change. */
export function judge<State>(state: State | null, reached: (state: State) => boolean, atWork: boolean): Verdict {
  if (state === null) return 'unknown';
  if (reached(state)) return 'done';
  return atWork ? 'unknown' : 'failed';
}
