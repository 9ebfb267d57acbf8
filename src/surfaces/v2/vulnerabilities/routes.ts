import type { RequiredServices } from '../../../service/services.ts';
import type { BaseAddress } from '../base-address.ts';
import type { HandlersOf } from '../handlers.ts';
import { pageResponse, pageRequestOf } from '../paging.ts';
import { exposureFilterOf, isDescending } from './input.ts';
import { copyrightView, exposureView, summaryView, vulnerabilityView } from './view.ts';

export const routes = (
  { vulnerabilities: { vulnerabilities } }: RequiredServices<'vulnerabilities'>,
  { base }: BaseAddress,
): HandlersOf<'vulnerabilities'> => {
  const source = () => vulnerabilities.source();
  const view = () => exposureView(vulnerabilities.now());
  return {
    vulnerabilities_list: async ({ query }) => {
      const order = { by: query.orderby, descending: isDescending(query) };
      const page = await vulnerabilities.list(exposureFilterOf(query), order, pageRequestOf(query));
      const answer = pageResponse(page, vulnerabilityView, `${base}/vulnerabilities`, query);
      return { ...answer, body: { ...answer.body, source: source(), copyrights: page.notices.map(copyrightView) } };
    },
    vulnerabilities_get: async ({ path }) => {
      const { vulnerability, notices } = await vulnerabilities.get(path.vulnerability_id);
      const data = vulnerabilityView(vulnerability);
      return { status: 200, body: { success: 1, data, copyrights: notices.map(copyrightView) } };
    },
    vulnerabilities_exposures: async ({ query }) => {
      const order = { by: query.orderby, descending: isDescending(query) };
      const page = await vulnerabilities.exposures(exposureFilterOf(query), order, pageRequestOf(query));
      const answer = pageResponse(page, view(), `${base}/vulnerabilities/exposures`, query);
      return { ...answer, body: { ...answer.body, source: source() } };
    },
    vulnerabilities_summary: async () => {
      return { status: 200, body: { success: 1, data: summaryView(await vulnerabilities.summary()) } };
    },
    sites_vulnerabilities: async ({ query, site: { id } }) => {
      const filter = { ...exposureFilterOf(query), siteIds: [id] };
      const order = { by: 'severity', descending: true } as const;
      const page = await vulnerabilities.exposures(filter, order, pageRequestOf(query));
      const answer = pageResponse(page, view(), `${base}/sites/${id}/vulnerabilities`, query);
      return { ...answer, body: { ...answer.body, source: source() } };
    },
  };
};
