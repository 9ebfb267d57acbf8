export type { NewTag, TagDetail, Tag, TagFilter, TagPatch } from './tag.ts';
export { TagReadModel } from './tag-read-model.ts';
export { TagService, type TagServiceParts } from './tag-service.ts';
export type { TagsServices } from './services.ts';
