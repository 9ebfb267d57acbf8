export type { ContentAction, ContentDetail, ContentEntry, ContentFilter, ContentKind } from './content.ts';
export type { ContentPatch, GalleryImage, NewContent } from './content.ts';
export { ContentService, type ContentRef } from './content-service.ts';
export type { CreatedContent } from './proven-creation.ts';
export type { ContentServices } from './part.ts';
