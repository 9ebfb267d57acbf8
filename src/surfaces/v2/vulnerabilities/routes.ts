import type { RequiredServices } from '../../../service/services.ts';
import type { BaseAddress } from '../base-address.ts';
import type { HandlersOf } from '../handlers.ts';
import { pageResponse, pageRequestOf } from '../paging.ts';
import { listOrderOf } from '../query-helpers.ts';
import { exposureFilterOf } from './input.ts';
import { copyrightView, exposureView, summaryView, vulnerabilityView } from './view.ts';

export const routes = (
  { vulnerabilities: { vulnerabilities } }: RequiredServices<'vulnerabilities'>,
  { base }: BaseAddress,
): HandlersOf<'vulnerabilities'> => {
  const source = () => vulnerabilities.source();
  const view = () => exposureView(vulnerabilities.now());
  return {
    vulnerabilities_list: async ({ caller, query }) => {
      const [filter, order] = [exposureFilterOf(caller.sites, query), listOrderOf(query)];
      const page = await vulnerabilities.list(filter, order, pageRequestOf(query));
      const answer = pageResponse(page, vulnerabilityView, `${base}/vulnerabilities`, query);
      return { ...answer, body: { ...answer.body, source: source(), copyrights: page.notices.map(copyrightView) } };
    },
    vulnerabilities_get: async ({ caller, path }) => {
      const { vulnerability, notices } = await vulnerabilities.get(caller.sites, path.vulnerability_id);
      const data = vulnerabilityView(vulnerability);
      return { status: 200, body: { success: 1, data, copyrights: notices.map(copyrightView) } };
    },
    vulnerabilities_exposures: async ({ caller, query }) => {
      const [filter, order] = [exposureFilterOf(caller.sites, query), listOrderOf(query)];
      const page = await vulnerabilities.exposures(filter, order, pageRequestOf(query));
      const answer = pageResponse(page, view(), `${base}/vulnerabilities/exposures`, query);
      return { ...answer, body: { ...answer.body, source: source() } };
    },
    vulnerabilities_summary: async ({ caller }) => {
      const data = summaryView(await vulnerabilities.summary(caller.sites));
      return { status: 200, body: { success: 1, data } };
    },
    sites_vulnerabilities: async ({ caller, query, site: { id } }) => {
      const filter = { ...exposureFilterOf(caller.sites, query), siteIds: [id] };
      const order = { by: 'severity', direction: 'desc' } as const;
      const page = await vulnerabilities.exposures(filter, order, pageRequestOf(query));
      const answer = pageResponse(page, view(), `${base}/sites/${id}/vulnerabilities`, query);
      return { ...answer, body: { ...answer.body, source: source() } };
    },
  };
};
