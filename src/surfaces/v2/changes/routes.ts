import type { RequiredServices } from '../../../service/services.ts';
import type { BaseAddress } from '../base-address.ts';
import type { HandlersOf } from '../handlers.ts';
import { pageResponse, pageRequestOf } from '../paging.ts';
import { changeFilterOf, changeView, fleetChangeView, fleetChangeFilterOf, monthlyChangesView } from './view.ts';
import { siteReferenceView } from '../sites/view.ts';

export const routes = (
  { changes: { changes, monthly } }: RequiredServices<'changes'>,
  { base }: BaseAddress,
): HandlersOf<'changes'> => ({
  changes_list: async ({ caller, query }) => {
    const page = await changes.ofFleet(caller.sites, fleetChangeFilterOf(query), pageRequestOf(query), query.order);
    return pageResponse(page, fleetChangeView, `${base}/changes`, query);
  },
  sites_changes: async ({ caller, query, site }) => {
    const page = await changes.ofSite(caller.sites, site.id, changeFilterOf(query), pageRequestOf(query), query.order);
    const answer = pageResponse(page, changeView, `${base}/sites/${site.id}/non-svc-changes`, query);
    return { ...answer, body: { ...answer.body, site: siteReferenceView(site) } };
  },
  sites_changes_monthly: async ({ query, site }) => {
    const counts = await monthly.ofSite(site.id, query);
    return { status: 200, body: { success: 1, data: monthlyChangesView(counts), site: siteReferenceView(site) } };
  },
});
