import { omitEmptyValues } from '../../shared/changed-values.ts';
import { ChildBadAnswerError } from '../../shared/child-call-errors.ts';
import {
  changeDone,
  changeErrorOf,
  changeFailed,
  type Judgement,
  type ProvenChange,
  type VerifiedChange,
} from '../sites/index.ts';
import type { ContentAction, ContentEntry, ContentKind } from './content.ts';

/** Status after an action. After `restore` it depends on the previous status, and `delete` leaves no post. */
export const RESULT_STATUS: Partial<Record<ContentAction, string>> = {
  publish: 'publish',
  unpublish: 'draft',
  trash: 'trash',
};

const ACTION_WORDS: Record<ContentAction, string> = {
  publish: 'published',
  unpublish: 'unpublished',
  trash: 'trashed',
  restore: 'restored',
  delete: 'deleted',
};

interface StoredStatus {
  status: string | null;
}

/**
 * Decides whether an action succeeded. The result is the status that the site has, or null for a deleted post. Only
 * this state counts: the child plugin reports success even if another plugin prevents the change.
 */
export function judgeStatusChange(
  { kind, id, action }: { kind: ContentKind; id: number; action: ContentAction },
  before: Pick<ContentEntry, 'title' | 'status'>,
  change: VerifiedChange<void, StoredStatus>,
): Judgement<string | null> {
  const error = changeErrorOf(change, (stored) => isStatusAfterAction(action, stored), actionNotCarriedOutError);
  if (error) return changeFailed(error);
  const status = change.state?.status ?? null;
  return changeDone(status, [
    describeStatusChange(kind, status === null ? 'delete' : action, { ...before, id }, status),
  ]);
}

export function describeStatusChange(
  kind: ContentKind,
  action: ContentAction,
  before: Pick<ContentEntry, 'id' | 'title' | 'status'>,
  status: string | null,
): ProvenChange {
  const done = ACTION_WORDS[action];
  const { id, title: name } = before;
  const thing = { name, key: id, before: { status: before.status }, after: omitEmptyValues({ status }) };
  return { type: `${kind}.${done}`, description: `The ${kind} ${id} was ${done}.`, thing };
}

/** If `EMPTY_TRASH_DAYS` is 0, WordPress deletes a post at once, so a missing post is also a result of `trash`. */
function isStatusAfterAction(action: ContentAction, { status }: StoredStatus): boolean {
  if (status === null) return action === 'delete' || action === 'trash';
  if (action === 'delete') return false;
  if (action === 'restore') return status !== 'trash';
  return status === RESULT_STATUS[action];
}

function actionNotCarriedOutError(state: StoredStatus | null): ChildBadAnswerError {
  const now = state?.status ? `the content still has the status ${state.status}` : 'the content no longer exists';
  return new ChildBadAnswerError(`The site reported the change as done, but ${now}.`, { outcome: 'answered' });
}
