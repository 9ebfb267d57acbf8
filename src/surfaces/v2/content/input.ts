import type { components } from '../../../../generated/v2.ts';
import type {
  ContentAction,
  ContentFilter,
  ContentPatch,
  GalleryImage,
  NewContent,
} from '../../../domains/content/index.ts';
import { splitList } from '../../../shared/text.ts';
import { SELECTION_FIELD_NAMES } from '../site-selection.ts';

type Schemas = components['schemas'];
type ContentCreateBody = Schemas['PostCreate'] | Schemas['SitePageCreate'];
type ContentEditBody = Schemas['PostEdit'] | Schemas['SitePageEdit'];

interface Query {
  maximum: number;
  search?: string;
  search_on?: 'title' | 'body' | 'content' | 'both' | 'Title and Body';
  status?: string[];
  dtsstart?: string;
  dtsstop?: string;
  post_type?: string;
}

const WHERE = {
  title: 'title',
  body: 'content',
  content: 'content',
  both: 'both',
  'Title and Body': 'both',
} as const;

export const contentFilterOf = (query: Query): ContentFilter => ({
  maximum: query.maximum,
  ...(query.post_type !== undefined && { type: query.post_type }),
  ...(query.status && { statuses: query.status }),
  ...(query.search !== undefined && { search: query.search }),
  ...(query.search_on && { searchOn: WHERE[query.search_on] }),
  ...(query.dtsstart !== undefined && { from: query.dtsstart }),
  ...(query.dtsstop !== undefined && { to: query.dtsstop }),
});

/** Fields that are passed on unchanged. Null clears a field; WordPress gets an empty text. */
const TEXT_FIELD_NAMES = {
  title: 'post_title',
  content: 'post_content',
  excerpt: 'post_excerpt',
  status: 'post_status',
  name: 'post_name',
  password: 'post_password',
  commentStatus: 'comment_status',
  pingStatus: 'ping_status',
  date: 'post_date',
  dateGmt: 'post_date_gmt',
} as const satisfies Partial<Record<keyof ContentPatch, keyof Schemas['SitePageEdit']>>;

export function contentPatchOf(body: ContentCreateBody | ContentEditBody): ContentPatch {
  const texts = Object.entries(TEXT_FIELD_NAMES).flatMap(([field, name]) => {
    const value = body[name];
    return value === undefined ? [] : [[field, value ?? '']];
  });
  const { post_featured_image, featured_image_data, post_gallery_images, post_custom } = body;
  return {
    ...(Object.fromEntries(texts) as ContentPatch),
    ...('post_category' in body && { categories: splitTermNames(body.post_category) }),
    ...('post_tags' in body && { tags: splitTermNames(body.post_tags) }),
    ...('is_sticky' in body && { sticky: body.is_sticky === 1 }),
    ...(post_featured_image !== undefined && { featuredImage: post_featured_image || null }),
    ...(featured_image_data && { featuredImageData: { ...EMPTY_IMAGE_TEXTS, ...featured_image_data } }),
    ...(post_gallery_images && { gallery: post_gallery_images.map(toGalleryImage) }),
    ...(post_custom && { customFields: new Map(Object.entries(post_custom).map(toCustomField)) }),
  };
}

export const newContentOf = (body: ContentCreateBody): NewContent => ({
  commentStatus: 'open',
  pingStatus: 'closed',
  ...contentPatchOf(body),
  title: body.post_title,
  content: body.post_content,
  status: body.post_status,
});

const EMPTY_IMAGE_TEXTS = { alt: '', caption: '', description: '', title: '' };
const toGalleryImage = (image: Schemas['GalleryImage']): GalleryImage => ({ ...EMPTY_IMAGE_TEXTS, ...image });

const splitTermNames = (names: string | null | undefined): string[] => [...new Set(splitList(names ?? ''))];

const toCustomField = ([key, value]: [string, string | string[] | null]): [string, string] => [
  key,
  (Array.isArray(value) ? value[0] : value) ?? '',
];

export const fieldNames = {
  ...SELECTION_FIELD_NAMES,
  ...TEXT_FIELD_NAMES,
  featuredImage: 'post_featured_image',
  featuredImageData: 'featured_image_data',
  gallery: 'post_gallery_images',
  customFields: 'post_custom',
  from: 'dtsstart',
  to: 'dtsstop',
};

export const STATUS_ACTIONS: Record<Schemas['ContentStatusActionInput'], ContentAction> = {
  unpublish: 'unpublish',
  publish: 'publish',
  approve: 'publish',
  trash: 'trash',
  delete: 'delete',
  restore: 'restore',
};
