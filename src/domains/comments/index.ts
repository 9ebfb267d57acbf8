export type { ChildComment as SiteComment } from '../../connector/child-site.ts';
export { ACTION_WORDS as DONE_TO_COMMENT } from './comment.ts';
export type { BulkCommentActionResult, CommentFilter } from './comment-service.ts';
export type { CommentsServices } from './part.ts';
