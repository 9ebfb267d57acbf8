import { definePart, type OwnOf } from '../../platform/part.ts';
import type { Platform } from '../../platform/platform.ts';
import type { SitesServices } from '../sites/index.ts';
import { CommentService } from './comment-service.ts';

interface CommentsPartDeps {
  sites: SitesServices;
}

export const commentsPart = ({ child }: Platform, { sites: { calls, childChanges } }: CommentsPartDeps) =>
  definePart({ name: 'comments', own: { comments: new CommentService({ child, calls, childChanges }) } });

export type CommentsServices = OwnOf<typeof commentsPart>;
