import type { TagService } from './tag-service.ts';

/** What other parts and the surfaces may ask of the tags. */
export interface TagsServices {
  tags: TagService;
}
