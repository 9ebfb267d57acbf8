import type { components } from '../../../../generated/abilities.ts';
import type { LoggedChange } from '../../../domains/changes/index.ts';
import { toIso } from '../../../shared/clock.ts';
import type { Page } from '../../../shared/paging.ts';

type Schemas = components['schemas'];

const changeView = ({ id, type, description, actor, at }: LoggedChange): Schemas['SiteChange'] => ({
  id,
  type,
  description,
  user: actor,
  timestamp: toIso(at),
});

export const changesView = (siteId: number, page: Page<LoggedChange>): Schemas['GetSiteChangesOutput'] => ({
  site_id: siteId,
  changes: page.items.map(changeView),
  page: page.page,
  per_page: page.perPage,
  total: page.total,
});
