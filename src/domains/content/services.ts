import type { ContentService } from './content-service.ts';

/** What other parts and the surfaces may ask of the content. */
export interface ContentServices {
  content: ContentService;
}
