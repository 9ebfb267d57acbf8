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
import type { KeyedSite } from '../sites/index.ts';

export type { Content, ContentAction, ContentEntry, ContentLock, GalleryImage };

/** Pages are one type of WordPress; posts stand for all others that people write. */
export type ContentKind = 'post' | 'page';

/** What a list of posts or pages is narrowed to. */
export interface ContentFilter {
  maximum: number;
  type?: string;
  statuses?: readonly string[];
  /** Both or none, as the days below. */
  search?: string;
  searchOn?: 'title' | 'content' | 'both';
  from?: string;
  to?: string;
}

/** Fields to set; what is absent stays. Empty texts and lists clear, as null does for the featured image. */
export interface ContentPatch extends ContentFields, Omit<ContentExtras, 'sticky'> {
  sticky?: boolean;
  customFields?: ReadonlyMap<string, string>;
}

export interface NewContent extends ContentPatch {
  title: string;
  content: string;
  status: string;
}

/** A post or page with what lists know of it. */
export interface ContentDetail {
  site: KeyedSite;
  content: Content;
  /** Null when lists do not show it. */
  entry: ContentEntry | null;
  /** Who edits it on the site at this moment. */
  editor: ContentLock | null;
}

/** Types that WordPress keeps for itself, or that another route serves. */
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

/** Whether a record of this type goes by the route of this kind. */
export const isOfKind = (kind: ContentKind, type: string): boolean =>
  kind === 'page' ? type === 'page' : !NO_POSTS.has(type);

export const notFound = (kind: ContentKind): NotFoundError =>
  new NotFoundError(kind === 'page' ? 'svc_page_not_found' : 'svc_post_not_found', `The site has no such ${kind}.`);
