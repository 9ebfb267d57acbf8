import type { components } from '../../../../generated/v2.ts';
import type { ContentDetail, ContentEntry, CreatedContent } from '../../../domains/content/index.ts';
import { SECOND, toIso } from '../../../shared/clock.ts';

type Schemas = components['schemas'];

export const pageEntryView = (site: { id: number }, entry: ContentEntry): Schemas['SitePageEntry'] => ({
  id: entry.id,
  website_id: site.id,
  post_type: entry.type,
  title: entry.title,
  post_title: entry.title,
  status: entry.status,
  post_status: entry.status,
  comment_count: entry.commentCount,
  author: entry.author,
  author_email: entry.authorEmail,
  dts: toIso(entry.modifiedAt),
});

export const postEntryView = (site: { id: number }, entry: ContentEntry): Schemas['PostEntry'] => ({
  ...pageEntryView(site, entry),
  ...termsView(entry),
});

export const pageView = ({ site, content, entry, editor }: ContentDetail): Schemas['SitePage'] => ({
  id: content.id,
  website_id: site.id,
  post_type: content.type,
  post_title: content.title,
  post_content: content.content,
  post_excerpt: content.excerpt,
  post_name: content.name,
  post_status: content.status,
  post_date: content.date,
  post_date_gmt: content.dateGmt,
  post_password: content.password,
  comment_status: content.commentStatus,
  ping_status: content.pingStatus,
  post_featured_image: content.featuredImage,
  post_gallery_images: content.gallery,
  post_custom: Object.fromEntries(content.customFields),
  link: entry?.link ?? null,
  author: entry?.author ?? null,
  modified: toIso(entry?.modifiedAt ?? null),
  edit_lock: editor && { user_id: editor.userId, since: toIso(editor.at * SECOND) },
});

export const postView = (detail: ContentDetail): Schemas['Post'] => ({
  ...pageView(detail),
  is_sticky: detail.content.sticky ? 1 : 0,
  ...termsView(detail.content),
});

const termsView = ({ categories, tags }: { categories: string[]; tags: string[] }) => ({
  post_category: categories.join(', '),
  post_tags: tags.join(', '),
});

export const createdView = (kind: string, { id, link, content, warnings }: CreatedContent) => ({
  success: 1 as const,
  message: `The ${kind} was created.`,
  data: {
    post_id: id,
    post_status: content.status,
    link,
    post_title: content.title,
    post_excerpt: content.excerpt,
    post_name: content.name,
  },
  ...(warnings.length > 0 && { warnings }),
});

export const contentStatusView = (message: string, id: number, status: string | null) => ({
  success: 1 as const,
  message,
  data: { post_id: id, post_status: status, deleted: status === null },
});
