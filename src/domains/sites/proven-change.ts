import { ChildUnreachableError, DomainError, isOutcomeOpen, isStillAtWork } from '../../shared/errors.ts';

/**
 * Send, look, judge: what a site claims of a change decides nothing, and neither does how a call ended. The state that
 * is read back does; where it cannot, or where the site may still be at work, the outcome is unknown, and the site is
 * looked at again (`LaterLooks`). Each of the three returns what came of it; who asked decides what to throw.
 */

/** What came of a call that can fail: its value, or how it broke. */
export type Attempt<T> = { value: T; broken: null } | { value: null; broken: DomainError };

export async function attempt<T>(call: () => Promise<T>): Promise<Attempt<T>> {
  try {
    return { value: await call(), broken: null };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { value: null, broken: error };
  }
}

/** What came of the call that makes a change. */
export interface SendResult<Answer> {
  /** Null when the call broke. */
  answer: Answer | null;
  broken: DomainError | null;
  /** False when the site was not reached or refused: then nothing has changed. */
  mayHaveRun: boolean;
  /** The site may still be at work: the state as it was before proves nothing yet. */
  atWork: boolean;
}

/** The same with the state that was read afterwards. */
export interface Proven<Answer, State> extends SendResult<Answer> {
  /** Null when it could not be read, or when there was nothing to look for. */
  state: State | null;
  unread: DomainError | null;
}

export interface Change<Answer, State> {
  send: () => Promise<Answer>;
  /** The state in the answer itself, when it already shows what was asked for; nothing else in an answer is proof. */
  stateIn?: (answer: Answer) => State | null;
  /** Reads the state in a call of its own. */
  look: () => Promise<State>;
}

/** Sends a change once. */
export async function sendChange<Answer>(send: () => Promise<Answer>): Promise<SendResult<Answer>> {
  const { value: answer, broken } = await attempt(send);
  return { answer, broken, mayHaveRun: broken === null || isOutcomeOpen(broken), atWork: isStillAtWork(broken) };
}

/** Sends a change once, and reads the state back. */
export async function proveChange<Answer, State>(change: Change<Answer, State>): Promise<Proven<Answer, State>> {
  const sent = await sendChange(change.send);
  if (!sent.mayHaveRun) return { ...sent, state: null, unread: null };
  const shown = sent.answer === null ? null : (change.stateIn?.(sent.answer) ?? null);
  if (shown !== null) return { ...sent, state: shown, unread: null };
  const { value: state, broken: unread } = await attempt(change.look);
  return { ...sent, state, unread };
}

/**
 * The error that says more than a verdict could, if there is one: nothing was changed, or the site ended the call by
 * itself and cannot be asked either.
 */
export function lostCause({ broken, mayHaveRun, atWork, unread }: Proven<unknown, unknown>): DomainError | null {
  if (!mayHaveRun) return broken;
  // The change was sent, and what is known of it must not be lost with the look.
  if (unread === null || atWork || (broken === null && unread instanceof ChildUnreachableError)) return null;
  return broken ?? unread;
}

export type Verdict = 'done' | 'failed' | 'unknown';

/** What a state says of a change; `reached` is whether it shows what was asked for. */
export function judge<State>(state: State | null, reached: (state: State) => boolean, atWork: boolean): Verdict {
  if (state === null) return 'unknown';
  if (reached(state)) return 'done';
  return atWork ? 'unknown' : 'failed';
}
