import { ChildBadAnswerError } from '../../shared/errors.ts';
import { conclusiveError, judgeChange, sendAndVerify, type VerifiableChange } from '../sites/index.ts';
import type { ContentAction } from './content.ts';

/** Status after an action. After `restore` it depends on the previous status, and `delete` leaves no post. */
export const RESULT_STATUS: Partial<Record<ContentAction, string>> = {
  publish: 'publish',
  unpublish: 'draft',
  trash: 'trash',
};

/** `status` is null if the site has no such post. */
interface StoredStatus {
  status: string | null;
}

/**
 * Sends an action and returns the status that the site then has, or null for a deleted post. Throws if the site does
 * not show the change. Only the state counts: the child plugin reports success even if another plugin prevents the
 * change.
 */
export async function proveStatus(
  action: ContentAction,
  change: VerifiableChange<void, StoredStatus>,
): Promise<string | null> {
  const sent = await sendAndVerify(change);
  const conclusive = conclusiveError(sent);
  if (conclusive) throw conclusive;
  const { state, callError, mayStillRun } = sent;
  switch (judgeChange(state, (stored) => isReached(action, stored), mayStillRun)) {
    case 'done':
      return state?.status ?? null;
    case 'unknown':
      throw callError ?? new ChildBadAnswerError('The change was sent, but the site could not be read afterwards.');
    case 'failed':
      throw callError ?? notCarriedOut(state);
  }
}

function isReached(action: ContentAction, { status }: StoredStatus): boolean {
  if (action === 'delete') return status === null;
  if (action === 'restore') return status !== null && status !== 'trash';
  return status === RESULT_STATUS[action];
}

function notCarriedOut(state: StoredStatus | null): ChildBadAnswerError {
  const now = state?.status ? `the content still has the status ${state.status}` : 'the content no longer exists';
  return new ChildBadAnswerError(`The site reported the change as done, but ${now}.`, { outcome: 'answered' });
}
