import type { components } from '../../../../generated/v2.ts';
import type { ClientWithTaggedSiteCount } from '../../../domains/clients/index.ts';
import type { Tag, TagDetail } from '../../../domains/tags/index.ts';
import { toIso } from '../../../shared/clock.ts';

type Schemas = components['schemas'];

export const tagView = (tag: Tag | TagDetail): Schemas['Tag'] => ({
  id: tag.id,
  name: tag.name,
  color: tag.color,
  sites_count: tag.sitesCount,
  count_sites: tag.sitesCount,
  ...('siteIds' in tag ? { sites_ids: tag.siteIds } : {}),
  created_at: toIso(tag.createdAt),
  updated_at: toIso(tag.updatedAt),
});

export const tagClientView = ({ id, name, email, sitesWithTag }: ClientWithTaggedSiteCount): Schemas['TagClient'] => ({
  id,
  name,
  email,
  sites_with_tag: sitesWithTag,
});
