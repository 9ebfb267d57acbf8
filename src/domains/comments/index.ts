export type { ChildComment as SiteComment, CommentAction } from '../../connector/child-site.ts';
export { DONE as DONE_TO_COMMENT } from './comment.ts';
export { CommentService, type BulkOutcome, type CommentFailure, type CommentFilter } from './comment-service.ts';
export type { CommentsServices } from './services.ts';
