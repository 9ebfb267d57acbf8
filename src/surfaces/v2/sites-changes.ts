import type { operations } from '../../../generated/v2.ts';
import type { ChangeReadModel } from '../../domains/changes/index.ts';
import type { SiteReferences } from '../../domains/sites/index.ts';
import type { SomeHandlers } from '../../http/operation.ts';
import { paged, pageRequestOf } from './paging.ts';
import { changeFilterOf, changeView } from './sites-changes.view.ts';
import { siteReferenceView } from './sites.view.ts';

export interface SitesChangesParts {
  base: string;
  references: SiteReferences;
  changes: ChangeReadModel;
}

/** The change log of a site. */
export const sitesChanges = ({
  base,
  references,
  changes,
}: SitesChangesParts): SomeHandlers<operations, 'sites_changes'> => ({
  sites_changes: async ({ path, query }) => {
    const site = await references.one(path.id_or_domain);
    const page = await changes.ofSite(site.id, changeFilterOf(query), pageRequestOf(query), query.order);
    const answer = paged(page, changeView, `${base}/sites/${site.id}/non-svc-changes`, query);
    return { ...answer, body: { ...answer.body, site: siteReferenceView(site) } };
  },
});
