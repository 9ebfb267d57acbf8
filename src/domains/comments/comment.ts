import type { ChildComment, CommentAction, CommentStatus } from '../../connector/child-site.ts';

export type CommentState = CommentStatus | 'deleted';

const ALLOWED_STATUSES: Record<CommentAction, readonly CommentStatus[]> = {
  approve: ['pending', 'spam'],
  unapprove: ['approved'],
  spam: ['approved', 'pending'],
  unspam: ['spam'],
  trash: ['approved', 'pending', 'spam'],
  restore: ['trash'],
  delete: ['approved', 'pending', 'spam', 'trash'],
};

/** A site without a trash deletes a comment instead of moving it to the trash. */
const EXPECTED_STATES: Record<CommentAction, readonly CommentState[]> = {
  approve: ['approved'],
  unapprove: ['pending'],
  spam: ['spam'],
  unspam: ['approved', 'pending'],
  trash: ['trash', 'deleted'],
  restore: ['approved', 'pending', 'spam'],
  delete: ['deleted'],
};

export const isCommentActionAllowed = (action: CommentAction, status: CommentStatus): boolean =>
  ALLOWED_STATUSES[action].includes(status);
export const isExpectedStateAfterAction = (action: CommentAction, state: CommentState): boolean =>
  EXPECTED_STATES[action].includes(state);

export const ACTION_WORDS: Record<CommentAction, string> = {
  approve: 'approved',
  unapprove: 'unapproved',
  spam: 'marked as spam',
  unspam: 'taken out of spam',
  trash: 'put in the trash',
  restore: 'restored',
  delete: 'deleted',
};

export const LOGGED_ACTIONS: Record<CommentAction, string> = {
  approve: 'approved',
  unapprove: 'unapproved',
  spam: 'spammed',
  unspam: 'unspammed',
  trash: 'trashed',
  restore: 'restored',
  delete: 'deleted',
};

export const newestFirst = (left: ChildComment, right: ChildComment): number =>
  (right.at ?? 0) - (left.at ?? 0) || right.id - left.id;
