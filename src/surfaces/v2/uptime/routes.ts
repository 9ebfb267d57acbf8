import type { RequiredServices } from '../../../service/services.ts';
import type { BaseAddress } from '../base-address.ts';
import type { HandlersOf } from '../handlers.ts';
import { queuedView } from '../queued-view.ts';
import { mergeSelections } from '../sites/input.ts';
import { monitorRoutes } from './monitor-routes.ts';
import { checkedSitesView, checkView } from './view.ts';
import { requesterOf } from '../../../shared/requester.ts';

export { fieldNames } from './monitor-input.ts';

export const routes = (
  needs: RequiredServices<'sites' | 'uptime' | 'jobs' | 'settings'>,
  context: BaseAddress,
): HandlersOf<'uptime'> => ({
  ...monitorRoutes(needs, context),
  ...checkRoutes(needs, context),
});

const checkRoutes = (
  {
    sites: { targets },
    uptime: { uptime, checkSite },
    jobs: { runner },
  }: RequiredServices<'sites' | 'uptime' | 'jobs'>,
  { base }: BaseAddress,
) =>
  ({
    sites_check: async ({ site }) => {
      const data = checkView(site, await uptime.check(site.id));
      return { status: 200, body: { success: 1, message: 'The site was checked.', data } };
    },
    sites_check_all: async ({ query, body, caller }) => {
      const { include, exclude } = mergeSelections(query, body);
      const chosen = await targets.choose(caller.sites, include, 'any', exclude);
      const result = await runner.run(checkSite, { input: {}, ...chosen, requestedBy: requesterOf(caller) });
      if (result.queued) return { status: 200, body: queuedView(result, base) };
      return { status: 200, body: checkedSitesView({ chosen, errors: result.errors }, result.results) };
    },
  }) satisfies Partial<HandlersOf<'uptime'>>;
