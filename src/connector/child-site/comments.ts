import type { ChildLink } from './target.ts';

export const COMMENT_STATUSES = ['approved', 'pending', 'spam', 'trash'] as const;
export type CommentStatus = (typeof COMMENT_STATUSES)[number];

export type CommentAction = 'approve' | 'unapprove' | 'spam' | 'unspam' | 'trash' | 'restore' | 'delete';

export interface CommentQuery {
  statuses: readonly CommentStatus[];
  /** Maximum number of comments of each status, not of all statuses together. The child returns the newest ones. */
  maximum: number;
  keyword?: string | undefined;
  /** `YYYY-MM-DD HH:MM:SS` in the site's local time. Both limits are exclusive. */
  after?: string | undefined;
  before?: string | undefined;
}

export interface ChildComment {
  id: number;
  status: CommentStatus;
  author: string;
  authorEmail: string | null;
  authorUrl: string | null;
  /** HTML as the visitor wrote it. */
  content: string;
  /** 0 if the child does not send it. */
  postId: number;
  postTitle: string;
  at: number | null;
}

export interface CommentCalls {
  /** Returns comments grouped by status in the requested order, newest first in each group. */
  comments(link: ChildLink, query: CommentQuery): Promise<ChildComment[]>;
  /**
   * Applies an action. The child always reports success. Approving or unapproving a deleted comment is a fatal error on
   * the child, and the comments after it are not processed.
   */
  commentAction(link: ChildLink, action: CommentAction, ids: readonly number[]): Promise<void>;
}
