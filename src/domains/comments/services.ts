import type { CommentService } from './comment-service.ts';

/** What other parts and the surfaces may ask of the comments. */
export interface CommentsServices {
  comments: CommentService;
}
