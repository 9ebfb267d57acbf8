import type {
  Content,
  ContentAction,
  ContentEntry,
  ContentExtras,
  ContentFields,
  ContentLock,
  GalleryImage,
} from '../../connector/child-site.ts';
import { NotFoundError } from '../../shared/errors.ts';
import type { SiteWithUrlKey } from '../sites/index.ts';

export type { Content, ContentAction, ContentEntry, ContentLock, GalleryImage };

/** `page` is one post type of WordPress; `post` stands for all other types that people write. */
export type ContentKind = 'post' | 'page';

export interface ContentFilter {
  maximum: number;
  type?: string;
  statuses?: readonly string[];
  /** `search` and `searchOn` must be used together, and so must `from` and `to`. */
  search?: string;
  searchOn?: 'title' | 'content' | 'both';
  from?: string;
  to?: string;
}

/**
 * Fields to set. Omitted fields keep their values. Empty texts and lists clear a field, and so does null for the
 * featured image.
 */
export interface ContentPatch extends ContentFields, Omit<ContentExtras, 'sticky'> {
  sticky?: boolean;
  customFields?: ReadonlyMap<string, string>;
}

export interface NewContent extends ContentPatch {
  title: string;
  content: string;
  status: string;
}

export interface ContentDetail {
  site: SiteWithUrlKey;
  content: Content;
  /** Null if lists do not contain the post. */
  entry: ContentEntry | null;
  editor: ContentLock | null;
}

/** Post types that WordPress uses internally, or that another route serves. */
const NO_POSTS = new Set([
  'page',
  'attachment',
  'revision',
  'nav_menu_item',
  'custom_css',
  'customize_changeset',
  'oembed_cache',
  'user_request',
]);

export const isOfKind = (kind: ContentKind, type: string): boolean =>
  kind === 'page' ? type === 'page' : !NO_POSTS.has(type);

export const contentNotFound = (kind: ContentKind): NotFoundError =>
  new NotFoundError(kind === 'page' ? 'svc_page_not_found' : 'svc_post_not_found', `The site has no such ${kind}.`);
