import { part } from '../../part.ts';
import type { Platform } from '../../platform.ts';
import type { Needs } from '../../services.ts';
import { CommentService } from './comment-service.ts';

/** What visitors write on the sites. */
export const commentsPart = ({ knex, child, changeLog }: Platform, { sites: { calls } }: Needs<'sites'>) =>
  part({ name: 'comments', own: { comments: new CommentService({ knex, child, calls, changeLog }) } });
