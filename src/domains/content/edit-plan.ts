import type {
  Content,
  ContentAction,
  ContentExtras,
  ContentFields,
  ContentToWrite,
} from '../../connector/child-site.ts';
import { ConflictError } from '../../shared/errors.ts';
import { throwFieldError } from '../../shared/field-errors.ts';
import type { ContentPatch } from './content.ts';

export interface EditPlan {
  /**
   * Whole post with its current values, because images, categories and stickiness cannot be written alone. Null if
   * these do not change.
   */
  rewrite: ContentToWrite | null;
  fields: ContentFields | null;
  resetCategories: boolean;
  customFields: ReadonlyMap<string, string> | null;
  action: Extract<ContentAction, 'publish' | 'trash'> | null;
}

/**
 * Returns the calls that an edit needs. The whole post is written first, because only this call can be rejected while
 * somebody edits the post. Throws `svc_post_invalid_state`.
 */
export function planEdit(before: Content, patch: ContentPatch): EditPlan {
  if (before.status === 'trash')
    throw new ConflictError('svc_post_invalid_state', 'The content is in the trash. Restore it before you change it.');
  if (patch.sticky === false && before.sticky)
    throw new ConflictError(
      'svc_post_invalid_state',
      'The child plugin can make a post sticky, but it cannot undo this.',
    );
  const action = editActionOf(before, patch);
  const extras = changedExtrasOf(before, patch);
  // The site puts the IDs of the gallery's images into the content, so gallery and content are sent in one call.
  const isGalleryContent = patch.gallery !== undefined && patch.content !== undefined;
  const fields = fieldsWithoutExtras(patch, action !== null);
  if (isGalleryContent) delete fields.content;
  const resetCategories = patch.categories?.length === 0;
  return {
    rewrite: extras && {
      type: before.type,
      content: (patch.gallery && patch.content) ?? before.content,
      status: before.status,
      featuredImage: before.featuredImage,
      ...extras,
    },
    fields: Object.keys(fields).length > 0 || resetCategories ? fields : null,
    resetCategories,
    customFields: patch.customFields?.size ? patch.customFields : null,
    action,
  };
}

/**
 * Returns the action that an edit needs, or null. Publishing a scheduled post sets its date to the current time, and
 * trashing a post stores its old status. Only actions of the child plugin do this.
 */
function editActionOf(before: Content, { status, date }: ContentPatch): EditPlan['action'] {
  if (status === 'trash') return 'trash';
  return status === 'publish' && before.status === 'future' && date === undefined ? 'publish' : null;
}

function changedExtrasOf(before: Content, patch: ContentPatch): ContentExtras | null {
  const { categories, featuredImage, featuredImageData, gallery, sticky } = patch;
  if (featuredImageData && !(featuredImage ?? before.featuredImage))
    throwFieldError('featuredImageData', 'must not be set without a featured image');
  const extras: ContentExtras = {
    ...(categories?.length && !sameNames(categories, before.categories) && { categories }),
    ...(featuredImage !== undefined && featuredImage !== before.featuredImage && { featuredImage }),
    ...(featuredImageData && { featuredImageData }),
    ...(gallery && { gallery }),
    ...(sticky && !before.sticky && { sticky }),
  };
  return Object.keys(extras).length > 0 ? extras : null;
}

const sameNames = (left: readonly string[], right: readonly string[]): boolean =>
  left.length === right.length && left.every((name) => right.includes(name));

const EXTRAS = ['categories', 'featuredImage', 'featuredImageData', 'gallery', 'sticky', 'customFields'] as const;

function fieldsWithoutExtras(patch: ContentPatch, statusElsewhere: boolean): ContentFields {
  const left: ContentPatch = { ...patch };
  for (const name of EXTRAS) delete left[name];
  if (statusElsewhere) delete left.status;
  return left;
}
