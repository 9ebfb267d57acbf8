import type { ContentService } from './content-service.ts';

export interface ContentServices {
  content: ContentService;
}
