import { keepConnectedSites } from '../../../domains/sites/index.ts';
import type { RequiredServices } from '../../../service/services.ts';
import type { SurfaceContext } from '../surface-context.ts';
import type { HandlersOf } from '../handlers.ts';
import { queuedView } from '../jobs/view.ts';
import { toReconnectCredentials } from './input.ts';
import { requesterOf } from '../../../shared/requester.ts';

export const fleetRoutes = (
  { sites: { targets, references, ...kinds }, jobs: { runner } }: RequiredServices<'sites' | 'jobs'>,
  { links }: SurfaceContext,
) =>
  ({
    'sync-sites-v1': async (input, { caller }) => {
      const chosen = await targets.choose(caller.sites, input.site_ids_or_domains, 'connected', input.exclude_ids);
      const { sites, errors } = keepConnectedSites(chosen);
      const result = await runner.run(kinds.syncSite, { input: {}, sites, errors, requestedBy: requesterOf(caller) });
      if (result.queued) return queuedView(result, links);
      const { results: synced, errors: failed } = result;
      return { queued: false, synced, errors: failed, total_synced: synced.length, total_errors: failed.length };
    },
    'reconnect-sites-v1': async (input, { caller }) => {
      const { sites, errors } = await targets.choose(caller.sites, input.site_ids_or_domains, 'disconnected');
      const result = await runner.run(kinds.reconnectSite, {
        input: toReconnectCredentials(input),
        sites,
        errors,
        requestedBy: requesterOf(caller),
      });
      if (result.queued) return queuedView(result, links);
      const { results: reconnected, errors: failed } = result;
      return { reconnected, errors: failed, total_reconnected: reconnected.length, total_errors: failed.length };
    },
    'disconnect-sites-v1': async (input, { caller }) => {
      const { sites, errors } = await references.many(caller.sites, input.site_ids_or_domains);
      const result = await runner.run(kinds.disconnectSite, {
        input: {},
        sites,
        errors,
        requestedBy: requesterOf(caller),
      });
      if (result.queued) return queuedView(result, links);
      const { results: disconnected, errors: failed } = result;
      return { disconnected, errors: failed, total_disconnected: disconnected.length, total_errors: failed.length };
    },
    'suspend-sites-v1': async (input, { caller }) => {
      const { sites, errors } = await references.many(caller.sites, input.site_ids_or_domains);
      const result = await runner.run(kinds.suspendSite, {
        input: {},
        sites,
        errors,
        requestedBy: requesterOf(caller),
      });
      if (result.queued) return queuedView(result, links);
      const { results: suspended, errors: failed } = result;
      return { suspended, errors: failed, total_suspended: suspended.length, total_errors: failed.length };
    },
  }) satisfies Partial<HandlersOf<'sites'>>;
