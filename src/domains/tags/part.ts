import { definePart, type OwnOf } from '../../platform/part.ts';
import type { Platform } from '../../platform/platform.ts';
import type { ChangesServices } from '../changes/index.ts';
import { TagService } from './tag-service.ts';

export const tagsPart = ({ knex, clock }: Platform, { changes: { changeLog } }: { changes: ChangesServices }) =>
  definePart({ name: 'tags', own: { tags: new TagService({ knex, clock, changeLog }) } });

export type TagsServices = OwnOf<typeof tagsPart>;
