import {
  ChildBadAnswerError,
  ChildUnreachableError,
  isOutcomeUnknown,
  mayStillBeRunning,
} from '../../shared/child-call-errors.ts';
import { DatabaseUnavailableError, DomainError } from '../../shared/errors.ts';

/**
 * The functions of this file send a change, read the state back and judge it. Only the state counts: neither the
 * response of the site nor an error of the call decides. If the state cannot be read or the site may still be working,
 * the outcome is unknown, and `VerificationRetries` checks the site again. The functions return their findings, and the
 * caller decides which error to throw. Parts use the functions through `ChildChanges`, which logs what is proven.
 */

export type CallAttempt<T> = { value: T; error: null } | { value: null; error: DomainError };

/**
 * Returns the error of a call instead of throwing it. Still throws errors that say nothing about the site: those of the
 * service itself, and of an unavailable database.
 */
export async function attemptCall<T>(call: () => Promise<T>): Promise<CallAttempt<T>> {
  try {
    return { value: await call(), error: null };
  } catch (error) {
    if (!(error instanceof DomainError) || error instanceof DatabaseUnavailableError) throw error;
    return { value: null, error };
  }
}

export interface SentChange<Answer> {
  answer: Answer | null;
  callError: DomainError | null;
  /** False if the site refused the call or was not reached. In this case, nothing has changed. */
  mayHaveRun: boolean;
  /** True if the site may still be working. In this case, an unchanged state proves nothing. */
  mayStillRun: boolean;
}

export interface VerifiedChange<Answer, State> extends SentChange<Answer> {
  state: State | null;
  readError: DomainError | null;
}

export interface VerifiableChange<Answer, State> {
  send: () => Promise<Answer>;
  /** Returns the state in the response if it shows the requested change. Nothing else in a response is proof. */
  stateIn?: (answer: Answer) => State | null;
  /**
   * Reads the state of the site. The argument is the response to the change, if there is one. The field is null if no
   * call shows the change, so that only a response proves it.
   */
  read: ((answer: Answer | null) => Promise<State>) | null;
}

export async function sendChange<Answer>(send: () => Promise<Answer>): Promise<SentChange<Answer>> {
  const { value: answer, error: callError } = await attemptCall(send);
  return {
    answer,
    callError,
    mayHaveRun: callError === null || isOutcomeUnknown(callError),
    mayStillRun: mayStillBeRunning(callError),
  };
}

export async function sendAndVerify<Answer, State>(
  change: VerifiableChange<Answer, State>,
): Promise<VerifiedChange<Answer, State>> {
  const sent = await sendChange(change.send);
  if (!sent.mayHaveRun) return { ...sent, state: null, readError: null };
  const shown = sent.answer === null ? null : (change.stateIn?.(sent.answer) ?? null);
  if (shown !== null) return { ...sent, state: shown, readError: null };
  return { ...sent, ...(await readState(change.read, sent.answer)) };
}

export async function readState<Answer, State>(
  read: VerifiableChange<Answer, State>['read'],
  answer: Answer | null,
): Promise<Pick<VerifiedChange<Answer, State>, 'state' | 'readError'>> {
  if (!read) return { state: null, readError: null };
  const { value: state, error: readError } = await attemptCall(() => read(answer));
  return { state, readError };
}

/**
 * Returns an error that explains more than a verdict, or null. If the change cannot have run, it is the error of the
 * call. If the site is no longer working and its state cannot be read, it is the error of the call or, without one, of
 * the read, unless the site is unreachable.
 */
export function conclusiveError({
  callError,
  mayHaveRun,
  mayStillRun,
  readError,
}: VerifiedChange<unknown, unknown>): DomainError | null {
  if (!mayHaveRun) return callError;
  // Null: the state decides, or a later check does, because the site may still be at work or is unreachable.
  if (readError === null || mayStillRun || (callError === null && readError instanceof ChildUnreachableError))
    return null;
  return callError ?? readError;
}

export type ChangeVerdict = 'done' | 'failed' | 'unknown';

export function judgeChange<State>(
  state: State | null,
  reached: (state: State) => boolean,
  mayStillRun: boolean,
): ChangeVerdict {
  if (state === null) return 'unknown';
  if (reached(state)) return 'done';
  return mayStillRun ? 'unknown' : 'failed';
}

export function changeErrorOf<State>(
  change: VerifiedChange<unknown, State>,
  reached: (state: State) => boolean,
  notCarriedOut: (state: State | null) => DomainError,
): DomainError | null {
  const { state, callError, mayStillRun } = change;
  const conclusive = conclusiveError(change);
  if (conclusive) return conclusive;
  switch (judgeChange(state, reached, mayStillRun)) {
    case 'done':
      return null;
    case 'unknown':
      return callError ?? new ChildBadAnswerError('The change was sent, but the site could not be read afterwards.');
    case 'failed':
      return callError ?? notCarriedOut(state);
  }
}
