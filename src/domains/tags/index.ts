export type { TagDetail, Tag, TagPatch } from './tag.ts';
export { TagService } from './tag-service.ts';
export type { TagsServices } from './part.ts';
