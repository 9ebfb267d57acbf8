import type { components } from '../../../../generated/v2.ts';
import type { SiteLimit } from '../../../shared/site-scope.ts';

export const siteLimitOf = (limit: components['schemas']['SiteLimitInput']): SiteLimit | null =>
  limit && { clients: [], tags: [], sites: [], ...limit };
