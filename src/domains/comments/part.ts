import { definePart, type OwnOf } from '../../platform/part.ts';
import type { Platform } from '../../platform/platform.ts';
import type { ChangesServices } from '../changes/index.ts';
import type { SitesServices } from '../sites/index.ts';
import { CommentService } from './comment-service.ts';

interface Needs {
  changes: ChangesServices;
  sites: SitesServices;
}

export const commentsPart = ({ knex, child }: Platform, { changes: { changeLog }, sites: { calls } }: Needs) =>
  definePart({ name: 'comments', own: { comments: new CommentService({ knex, child, calls, changeLog }) } });

export type CommentsServices = OwnOf<typeof commentsPart>;
