export type { ChildComment as SiteComment, CommentAction } from '../../connector/child-site.ts';
export { DONE as DONE_TO_COMMENT } from './comment.ts';
export type { BulkOutcome, CommentFailure, CommentFilter } from './comment-service.ts';
export type { CommentsServices } from './services.ts';
