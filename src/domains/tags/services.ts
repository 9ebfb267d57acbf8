import type { TagService } from './tag-service.ts';

export interface TagsServices {
  tags: TagService;
}
