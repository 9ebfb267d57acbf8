import { definePart, type OwnOf } from '../../platform/part.ts';
import type { Platform } from '../../platform/platform.ts';
import type { DeletionCount } from '../../shared/deletion-effects.ts';
import type { ChangesServices } from '../changes/index.ts';
import { TagService } from './tag-service.ts';

interface TagsPartDeps {
  changes: ChangesServices;
  deletionCounts: () => readonly DeletionCount[];
}

export const tagsPart = ({ knex, clock }: Platform, { changes: { changeLog }, deletionCounts }: TagsPartDeps) =>
  definePart({ name: 'tags', own: { tags: new TagService({ knex, clock, changeLog, deletionCounts }) } });

export type TagsServices = OwnOf<typeof tagsPart>;
