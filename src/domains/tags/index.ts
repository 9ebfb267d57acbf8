export type { NewTag, TagDetail, Tag, TagFilter, TagPatch } from './tag.ts';
export { TagService, type TagServiceParts } from './tag-service.ts';
export type { TagsServices } from './services.ts';
