import type { components } from '../../../../generated/abilities.ts';
import type { Tag } from '../../../domains/tags/index.ts';
import { toIso } from '../../../shared/clock.ts';

type Schemas = components['schemas'];

export const tagView = ({ id, name, color, sitesCount }: Tag): Schemas['Tag'] => ({
  id,
  name,
  color,
  sites_count: sitesCount,
});

export const addedTagView = (tag: Tag): Schemas['AddTagOutput'] => ({
  ...tagView(tag),
  created_at: toIso(tag.createdAt),
});

export const tagDetailView = (tag: Tag): Schemas['TagDetail'] => ({
  ...addedTagView(tag),
  updated_at: toIso(tag.updatedAt),
});

export const deleteTagPreviewView = (
  { id, name }: Tag,
  effects: Schemas['DeleteTagEffects'],
): Schemas['DeleteTagOutput'] => ({
  dry_run: true,
  deleted: false,
  tag_id: id,
  tag_name: name,
  sites_affected: effects.sites,
  would_affect: effects,
});
