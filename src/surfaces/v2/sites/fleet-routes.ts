import { keepConnectedSites } from '../../../domains/sites/index.ts';
import type { RequiredServices } from '../../../service/services.ts';
import { throwFieldError } from '../../../shared/field-errors.ts';
import type { BaseAddress } from '../base-address.ts';
import type { HandlersOf } from '../handlers.ts';
import { queuedView } from '../queued-view.ts';
import { toReconnectCredentials, mergeSelections } from './input.ts';
import { outcomesView, syncedSitesView } from './fleet-view.ts';
import { requesterOf } from '../../../shared/requester.ts';

export const fleetRoutes = (
  { sites: { targets, ...kinds }, jobs: { runner } }: RequiredServices<'sites' | 'jobs'>,
  { base }: BaseAddress,
) =>
  ({
    sites_sync_all: async ({ query, body, caller }) => {
      const { include, exclude } = mergeSelections(query, body);
      const chosen = await targets.choose(caller.sites, include, 'connected', exclude);
      const result = await runner.run(kinds.syncSite, {
        input: {},
        ...keepConnectedSites(chosen),
        requestedBy: requesterOf(caller),
      });
      const answer = result.queued ? queuedView(result, base) : syncedSitesView({ chosen, errors: result.errors });
      return { status: 200, body: answer };
    },
    sites_reconnect_all: async ({ query, body, caller }) => {
      const { include, exclude } = mergeSelections(query, body);
      const chosen = await targets.choose(caller.sites, include, 'disconnected', exclude);
      const result = await runner.run(kinds.reconnectSite, {
        input: toReconnectCredentials(body),
        ...chosen,
        requestedBy: requesterOf(caller),
      });
      if (result.queued) return { status: 200, body: queuedView(result, base) };
      return { status: 200, body: outcomesView('reconnected', { chosen, errors: result.errors }) };
    },
    sites_disconnect_all: async ({ query, body, caller }) => {
      const { include, exclude } = mergeSelections(query, body);
      if (include.length === 0)
        throwFieldError('include', 'must name at least one site, because an empty list does not mean all sites');
      const chosen = await targets.choose(caller.sites, include, 'any', exclude);
      const result = await runner.run(kinds.disconnectSite, { input: {}, ...chosen, requestedBy: requesterOf(caller) });
      if (result.queued) return { status: 200, body: queuedView(result, base) };
      return { status: 200, body: outcomesView('disconnected', { chosen, errors: result.errors }) };
    },
  }) satisfies Partial<HandlersOf<'sites'>>;
