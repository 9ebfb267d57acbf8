import { definePart, type OwnOf } from '../../platform/part.ts';
import type { Platform } from '../../platform/platform.ts';
import type { SitesServices } from '../sites/index.ts';
import { CommentService } from './comment-service.ts';

interface Needs {
  sites: SitesServices;
}

export const commentsPart = ({ child }: Platform, { sites: { calls, childChanges } }: Needs) =>
  definePart({ name: 'comments', own: { comments: new CommentService({ child, calls, childChanges }) } });

export type CommentsServices = OwnOf<typeof commentsPart>;
