import type { operations } from '../../../generated/v2.ts';
import type { FleetResult, FleetRunner } from '../../domains/jobs/index.ts';
import type { CheckItemResult } from '../../domains/monitors/index.ts';
import {
  connectedAmong,
  type ReconnectCredentials,
  type ResolvedSites,
  type SiteTargets,
} from '../../domains/sites/index.ts';
import type { SomeHandlers } from '../../http/operation.ts';
import { InvalidError } from '../../shared/errors.ts';
import { queuedView } from './queued.view.ts';
import { credentialsOf, selectionOf } from './sites.input.ts';
import { checkedView, statesView, syncedView } from './sites-fleet.view.ts';

type Names = 'sites_sync_all' | 'sites_check_all' | 'sites_reconnect_all' | 'sites_disconnect_all';

export interface SitesFleetParts {
  base: string;
  targets: SiteTargets;
  runner: FleetRunner;
  /** What a job of kind `reconnect` keeps of what a caller gave. */
  reconnectInput: (credentials: ReconnectCredentials) => object;
}

/** Calls over several sites; each site is an item of a job. */
export const sitesFleet = ({
  base,
  targets,
  runner,
  reconnectInput,
}: SitesFleetParts): SomeHandlers<operations, Names> => {
  const run = <T>(
    kind: string,
    { sites, errors }: ResolvedSites,
    requestedBy: string,
    input: object = {},
  ): Promise<FleetResult<T>> => runner.run<T>({ kind, input, sites, errors, requestedBy });
  return {
    sites_sync_all: async ({ query, body, caller }) => {
      const { include, exclude } = selectionOf(query, body);
      const chosen = await targets.choose(include, 'connected', exclude);
      const result = await run('sync', connectedAmong(chosen), caller.name);
      const answer = result.queued ? queuedView(result, base) : syncedView({ chosen, errors: result.errors });
      return { status: 200, body: answer };
    },
    sites_check_all: async ({ query, body, caller }) => {
      const { include, exclude } = selectionOf(query, body);
      const chosen = await targets.choose(include, 'any', exclude);
      const result = await run<CheckItemResult>('check', chosen, caller.name);
      if (result.queued) return { status: 200, body: queuedView(result, base) };
      return { status: 200, body: checkedView({ chosen, errors: result.errors }, result.results) };
    },
    sites_reconnect_all: async ({ query, body, caller }) => {
      const { include, exclude } = selectionOf(query, body);
      const chosen = await targets.choose(include, 'disconnected', exclude);
      const result = await run('reconnect', chosen, caller.name, reconnectInput(credentialsOf(body)));
      if (result.queued) return { status: 200, body: queuedView(result, base) };
      return { status: 200, body: statesView('reconnected', { chosen, errors: result.errors }) };
    },
    sites_disconnect_all: async ({ query, body, caller }) => {
      const { include, exclude } = selectionOf(query, body);
      if (include.length === 0) throw nobodyMeant();
      const chosen = await targets.choose(include, 'any', exclude);
      const result = await run('disconnect', chosen, caller.name);
      if (result.queued) return { status: 200, body: queuedView(result, base) };
      return { status: 200, body: statesView('disconnected', { chosen, errors: result.errors }) };
    },
  };
};

function nobodyMeant(): InvalidError {
  const message = 'must name the sites; an empty list does not mean all';
  return new InvalidError('rest_invalid_param', `include ${message}.`, { errors: [{ path: 'body.include', message }] });
}
