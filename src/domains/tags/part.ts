import { part } from '../../part.ts';
import type { Platform } from '../../platform.ts';
import { TagService } from './tag-service.ts';

/** Labels of sites. */
export const tagsPart = ({ knex, clock, changeLog }: Platform) =>
  part({ name: 'tags', own: { tags: new TagService({ knex, clock, changeLog }) } });
