import type { ChildLink } from './target.ts';

/** Which posts, pages or records of another type a list shows. */
export interface ContentQuery {
  /** Slug of a type, or `any`. */
  type: string;
  /** Statuses, or `any` for all but the trash. */
  statuses: readonly string[];
  /** How many at most, of all statuses together. */
  maximum: number;
  search?: { text: string; where: 'title' | 'content' | 'both' };
  /** First and last day of the last change (`2026-11-21`), in the site's own time. */
  changed?: { from: string; to: string };
}

/** A post, page or record of another type as lists show it. */
export interface ContentEntry {
  id: number;
  type: string;
  status: string;
  title: string;
  commentCount: number;
  /** Nice name of the author; null when that user is gone. */
  author: string | null;
  authorEmail: string | null;
  categories: string[];
  tags: string[];
  /** Milliseconds since 1970: the last change, of a scheduled one the time it is due; null when never dated. */
  modifiedAt: number | null;
  /** Its address; null in lists. */
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

/** How long WordPress takes somebody for editing a post without a new sign of them. */
export const EDIT_LOCK_SECONDS = 150;

/** WordPress' mark of an editor, which stays when they are done. */
export interface ContentLock {
  userId: number;
  /** Seconds since 1970 by the site's clock. */
  at: number;
}

/** A post or page as an editor sees it; its texts are exactly those of the site. */
export interface Content {
  id: number;
  type: string;
  status: string;
  title: string;
  content: string;
  excerpt: string;
  name: string;
  password: string;
  /** `2026-11-21 10:57:22` in the site's own time; null when never dated. */
  date: string | null;
  dateGmt: string | null;
  commentStatus: string;
  pingStatus: string;
  sticky: boolean;
  categories: string[];
  tags: string[];
  featuredImage: string | null;
  gallery: GalleryImage[];
  /** Who edited it last, as it stood before it was read. */
  lock: ContentLock | null;
  /** A key may have several values; what PHP kept as a structure comes as one. */
  customFields: Map<string, unknown[]>;
}

/** What one post or page may be given; what is absent stays as it is. */
export interface ContentFields {
  title?: string;
  content?: string;
  excerpt?: string;
  status?: string;
  name?: string;
  password?: string;
  commentStatus?: string;
  pingStatus?: string;
  /** Both dates go together. */
  date?: string;
  dateGmt?: string;
  tags?: readonly string[];
}

/** What only the writing of a whole post can set (protocol 4.4). */
export interface ContentExtras {
  /** Names; those that the site lacks are made. */
  categories?: readonly string[];
  /** Address that the site fetches; without it the post has no featured image afterwards. */
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

export interface ContentWritten {
  id: number;
  status: string | null;
  link: string | null;
}

export type ContentAction = 'publish' | 'unpublish' | 'trash' | 'restore' | 'delete';

export interface ContentCalls {
  /** Newest first, at most `maximum`. */
  listContent(link: ChildLink, query: ContentQuery): Promise<ContentEntry[]>;
  /**
   * One of them by its ID, with its address; null when there is none of this type (`any` for all that can be searched
   * for).
   */
  contentEntry(link: ChildLink, id: number, type: string): Promise<ContentEntry | null>;
  /** Null when there is none. Whoever edits it loses the lock to the connected administrator; see `markContent`. */
  readContent(link: ChildLink, id: number): Promise<Content | null>;
  /** Throws `svc_post_locked` while somebody but the connected administrator edits it; leaves everything as it is. */
  refuseEdited(link: ChildLink, id: number): Promise<void>;
  /** Sets who edits it; null for nobody. False when it is gone. */
  markContent(link: ChildLink, id: number, lock: ContentLock | null): Promise<boolean>;
  /** Writes a new one. */
  createContent(link: ChildLink, content: ContentToWrite): Promise<ContentWritten>;
  /**
   * Writes a post whole. What is absent stays, but the featured image: that goes, unless it is sent again. `author` is
   * the login of the user it stays with. Throws `svc_post_locked` while somebody else edits it.
   */
  rewriteContent(link: ChildLink, id: number, content: ContentToWrite, author: string | null): Promise<ContentWritten>;
  /**
   * Changes the fields that are given, and no other; `resetCategories` leaves it in the default one. False when it is
   * gone.
   */
  updateContent(link: ChildLink, id: number, fields: ContentFields, resetCategories?: boolean): Promise<boolean>;
  /** Sets custom fields to one value each. False when it is gone. */
  updateCustomFields(link: ChildLink, id: number, values: ReadonlyMap<string, string>): Promise<boolean>;
  /** False when it is gone. A claim, not a proof. */
  contentAction(link: ChildLink, id: number, action: ContentAction): Promise<boolean>;
}
