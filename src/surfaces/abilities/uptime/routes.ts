import type { RequiredServices } from '../../../service/services.ts';
import type { SurfaceContext } from '../surface-context.ts';
import type { HandlersOf } from '../handlers.ts';
import { queuedView } from '../jobs/view.ts';
import { checksView, checkView } from './view.ts';
import { requesterOf } from '../../../shared/requester.ts';

/** These routes check a site whatever its status is. */
export const routes = (
  {
    sites: { targets },
    uptime: { uptime, checkSite },
    jobs: { runner },
  }: RequiredServices<'sites' | 'uptime' | 'jobs'>,
  { links }: SurfaceContext,
): HandlersOf<'uptime'> => ({
  'check-site-v1': async (_input, { site: { id } }) => {
    return checkView(await uptime.check(id));
  },
  'check-sites-v1': async ({ site_ids_or_domains }, { caller }) => {
    const chosen = await targets.choose(caller.sites, site_ids_or_domains, 'any');
    const result = await runner.run(checkSite, { input: {}, ...chosen, requestedBy: requesterOf(caller) });
    return result.queued ? queuedView(result, links) : checksView(result.results, result.errors);
  },
});
