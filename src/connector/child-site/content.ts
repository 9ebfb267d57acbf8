import type { ChildLink } from './target.ts';

export interface ContentQuery {
  type: string;
  /** Statuses, or `any` for all except the trash. */
  statuses: readonly string[];
  /** Maximum number of entries of all statuses together. */
  maximum: number;
  search?: { text: string; where: 'title' | 'content' | 'both' };
  /** First and last day (`2026-11-21`) on which an entry was last changed, inclusive, in the site's local time. */
  changed?: { from: string; to: string };
}

export interface ContentEntry {
  id: number;
  type: string;
  status: string;
  title: string;
  commentCount: number;
  /** `user_nicename` of the WordPress user; null if the user was deleted. */
  author: string | null;
  authorEmail: string | null;
  categories: string[];
  tags: string[];
  /** Last change, or the publication time if the entry is scheduled. */
  modifiedAt: number | null;
  /** URL of the entry; null in lists. */
  link: string | null;
}

export interface GalleryImage {
  id: number;
  src: string;
  title: string;
  alt: string;
  caption: string;
  description: string;
}

/**
 * Lifetime of an edit lock. WordPress leaves the lock when the editor has finished, and it expires after this time
 * without activity.
 */
export const EDIT_LOCK_SECONDS = 150;

export interface ContentLock {
  userId: number;
  /** Last activity of the editor, in seconds since 1970 on the site's clock. */
  at: number;
}

export interface Content {
  id: number;
  type: string;
  status: string;
  title: string;
  content: string;
  excerpt: string;
  name: string;
  password: string;
  /** `2026-11-21 10:57:22` in the site's local time; null if there is no date. */
  date: string | null;
  dateGmt: string | null;
  commentStatus: string;
  pingStatus: string;
  sticky: boolean;
  categories: string[];
  tags: string[];
  featuredImage: string | null;
  gallery: GalleryImage[];
  /** Edit lock before this read. Reading a post takes over its lock. */
  lock: ContentLock | null;
  /** Values by key. A key may have several values. Structures that PHP stored are decoded. */
  customFields: Map<string, unknown[]>;
}

export interface ContentFields {
  title?: string;
  content?: string;
  excerpt?: string;
  status?: string;
  name?: string;
  password?: string;
  commentStatus?: string;
  pingStatus?: string;
  /** Set both dates or neither. */
  date?: string;
  dateGmt?: string;
  tags?: readonly string[];
}

/** Fields that can only be set by writing a whole post (protocol 4.4). */
export interface ContentExtras {
  /** Names of categories. The site creates missing ones. */
  categories?: readonly string[];
  /** URL that the site downloads. If omitted, the featured image is removed. */
  featuredImage?: string | null;
  featuredImageData?: { alt: string; caption: string; description: string; title: string };
  gallery?: readonly GalleryImage[];
  sticky?: true;
}

export interface ContentToWrite extends ContentFields, ContentExtras {
  type: string;
  content: string;
  status: string;
  customFields?: ReadonlyMap<string, string>;
}

export interface WrittenContent {
  id: number;
  status: string | null;
  link: string | null;
}

export type ContentAction = 'publish' | 'unpublish' | 'trash' | 'restore' | 'delete';

/** Methods with a boolean result return false if there is no such post. A reported success is not verified. */
export interface ContentCalls {
  listContent(link: ChildLink, query: ContentQuery): Promise<ContentEntry[]>;
  /** Returns one entry with its URL; null if this type has no such ID. `any` means all searchable types. */
  contentEntry(link: ChildLink, id: number, type: string): Promise<ContentEntry | null>;
  /** Returns null if there is no such post. Takes over the edit lock; `setEditLock` can restore it. */
  readContent(link: ChildLink, id: number): Promise<Content | null>;
  /** Throws `svc_post_locked` if a user other than the connected administrator edits the post. Changes nothing. */
  checkEditLock(link: ChildLink, id: number): Promise<void>;
  setEditLock(link: ChildLink, id: number, lock: ContentLock | null): Promise<boolean>;
  createContent(link: ChildLink, content: ContentToWrite): Promise<WrittenContent>;
  /**
   * Replaces a whole post. Omitted fields keep their values, except the featured image, which is removed. `author` is
   * the login of the user who stays the author. With null, the post is assigned to the connected administrator. Throws
   * `svc_post_locked` if another user edits the post.
   */
  rewriteContent(link: ChildLink, id: number, content: ContentToWrite, author: string | null): Promise<WrittenContent>;
  /** Changes only these fields. `resetCategories` leaves only the default category. */
  updateContent(link: ChildLink, id: number, fields: ContentFields, resetCategories?: boolean): Promise<boolean>;
  updateCustomFields(link: ChildLink, id: number, values: ReadonlyMap<string, string>): Promise<boolean>;
  contentAction(link: ChildLink, id: number, action: ContentAction): Promise<boolean>;
}
