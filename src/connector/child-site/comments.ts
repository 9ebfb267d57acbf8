import type { ChildLink } from './target.ts';

export const COMMENT_STATUSES = ['approved', 'pending', 'spam', 'trash'] as const;
export type CommentStatus = (typeof COMMENT_STATUSES)[number];

export type CommentAction = 'approve' | 'unapprove' | 'spam' | 'unspam' | 'trash' | 'restore' | 'delete';

export interface CommentQuery {
  statuses: readonly CommentStatus[];
  /** How many of each status, the newest; an answer may thus hold several times as many. */
  maximum: number;
  /** Part of the comment's text. */
  keyword?: string | undefined;
  /** `YYYY-MM-DD HH:MM:SS` of the site's own clock, exclusive. */
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
  /** 0 when the child does not say. */
  postId: number;
  postTitle: string;
  /** Milliseconds since 1970; null when the child does not say. */
  at: number | null;
}

export interface CommentCalls {
  /** Grouped by status in the order asked for, newest first within each. */
  comments(link: ChildLink, query: CommentQuery): Promise<ChildComment[]>;
  /**
   * The child claims success whatever came of it, and dies on approving or unapproving a comment that is gone: those
   * that come after it are then not done.
   */
  commentAction(link: ChildLink, action: CommentAction, ids: readonly number[]): Promise<void>;
}
