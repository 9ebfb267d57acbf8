import type { ChildComment, CommentAction, CommentStatus } from '../../connector/child-site.ts';

/** The status of a comment, or that it is gone for good. */
export type CommentState = CommentStatus | 'deleted';

/** From which statuses an action leads. */
const FROM: Record<CommentAction, readonly CommentStatus[]> = {
  approve: ['pending', 'spam'],
  unapprove: ['approved'],
  spam: ['approved', 'pending'],
  unspam: ['spam'],
  trash: ['approved', 'pending', 'spam'],
  restore: ['trash'],
  delete: ['approved', 'pending', 'spam', 'trash'],
};

/** To which states an action leads. A site that keeps no trash deletes at once what is put there. */
const TO: Record<CommentAction, readonly CommentState[]> = {
  approve: ['approved'],
  unapprove: ['pending'],
  spam: ['spam'],
  unspam: ['approved', 'pending'],
  trash: ['trash', 'deleted'],
  restore: ['approved', 'pending', 'spam'],
  delete: ['deleted'],
};

export const fits = (action: CommentAction, status: CommentStatus): boolean => FROM[action].includes(status);
export const isReached = (action: CommentAction, state: CommentState): boolean => TO[action].includes(state);

/** As the log of changes and messages say it. */
export const DONE: Record<CommentAction, string> = {
  approve: 'approved',
  unapprove: 'unapproved',
  spam: 'marked as spam',
  unspam: 'taken out of spam',
  trash: 'put in the trash',
  restore: 'restored',
  delete: 'deleted',
};

/** The second half of a type in the log of changes. */
export const LOGGED: Record<CommentAction, string> = {
  approve: 'approved',
  unapprove: 'unapproved',
  spam: 'spammed',
  unspam: 'unspammed',
  trash: 'trashed',
  restore: 'restored',
  delete: 'deleted',
};

/** Newest first; of two with the same time the later one. Those without a time come last. */
export const newestFirst = (left: ChildComment, right: ChildComment): number =>
  (right.at ?? 0) - (left.at ?? 0) || right.id - left.id;
