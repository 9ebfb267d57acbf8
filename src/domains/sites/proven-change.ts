import { ChildUnreachableError, DomainError, isOutcomeOpen, isStillAtWork } from '../../shared/errors.ts';

/**
 * Send, look, judge: what a site claims of a change decides nothing, and neither does how a call ended. The state that
 * is read back does; where it cannot, or where the site may still be at work, the outcome is unknown, and the site is
 * looked at again (`LaterLooks`).
 */

/** What came of the call itself. */
export interface Sent<Answer> {
  /** Null when the call broke. */
  answer: Answer | null;
  broken: DomainError | null;
  /** The site may still be at work: the state as it was before proves nothing yet. */
  atWork: boolean;
}

/** The same with the state that was read afterwards. */
export interface Proven<Answer, State> extends Sent<Answer> {
  /** Null when it could not be read. */
  state: State | null;
  unread: DomainError | null;
}

export interface Change<Answer, State> {
  send: () => Promise<Answer>;
  /** The state in the answer itself, when it already shows what was asked for; nothing else in an answer is proof. */
  told?: (answer: Answer) => State | null;
  /** Reads the state in a call of its own. */
  look: () => Promise<State>;
}

/** Sends a change once. Throws when the site was not reached or refused: then nothing has changed. */
export async function sendChange<Answer>(send: () => Promise<Answer>): Promise<Sent<Answer>> {
  try {
    return { answer: await send(), broken: null, atWork: false };
  } catch (error) {
    if (!isOutcomeOpen(error)) throw error;
    return { answer: null, broken: error, atWork: isStillAtWork(error) };
  }
}

/**
 * Sends a change once, and reads the state back. Throws as `sendChange` does, and also where the site ended the call by
 * itself and cannot be asked either: what ails it says more than that the outcome is unknown.
 */
export async function proveChange<Answer, State>(change: Change<Answer, State>): Promise<Proven<Answer, State>> {
  const sent = await sendChange(change.send);
  const told = sent.answer === null ? null : (change.told?.(sent.answer) ?? null);
  if (told !== null) return { ...sent, state: told, unread: null };
  try {
    return { ...sent, state: await change.look(), unread: null };
  } catch (error) {
    // The change was sent, and what is known of it must not be lost with the look.
    if (!(error instanceof DomainError)) throw error;
    if (!sent.atWork && (sent.broken || !(error instanceof ChildUnreachableError))) throw sent.broken ?? error;
    return { ...sent, state: null, unread: error };
  }
}

export type Verdict = 'done' | 'failed' | 'unknown';

/** What a state says of a change; `reached` is whether it shows what was asked for. */
export function judge<State>(state: State | null, reached: (state: State) => boolean, atWork: boolean): Verdict {
  if (state === null) return 'unknown';
  if (reached(state)) return 'done';
  return atWork ? 'unknown' : 'failed';
}
