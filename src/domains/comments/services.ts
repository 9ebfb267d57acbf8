import type { CommentService } from './comment-service.ts';

export interface CommentsServices {
  comments: CommentService;
}
