import type { operations } from '../../../generated/abilities.ts';
import type { FleetRunner, FleetSite } from '../../domains/jobs/index.ts';
import {
  refuseUnlessConnected,
  type ResolvedSites,
  type SiteList,
  type SiteReferences,
  type SiteRef,
} from '../../domains/sites/index.ts';
import type { SomeHandlers } from '../../http/operation.ts';
import { itemErrorOf, type ItemError } from '../../shared/errors.ts';
import { queuedView, type Links } from './jobs.view.ts';

type Names = 'sync-sites-v1' | 'reconnect-sites-v1' | 'disconnect-sites-v1' | 'suspend-sites-v1';

export interface FleetParts {
  list: SiteList;
  references: SiteReferences;
  runner: FleetRunner;
  links: Links;
}

interface Basic {
  id: number;
  url: string;
  name: string;
}
type Address = Omit<Basic, 'name'>;

/** Calls over several sites; each site is an item of a job. */
export const fleet = ({ list, references, runner, links }: FleetParts): SomeHandlers<operations, Names> => ({
  'sync-sites-v1': async (input, { caller }) => {
    const excluded = new Set(input.exclude_ids);
    const chosen = await choose(references, list, input.site_ids_or_domains, 'connected');
    const { sites, errors } = connectedAmong({
      ...chosen,
      sites: chosen.sites.filter(({ site }) => !excluded.has(site.id)),
    });
    const result = await runner.run<Basic>({ kind: 'sync', input: {}, sites, errors, requestedBy: caller.name });
    if (result.queued) return queuedView(result, links);
    const { results: synced, errors: failed } = result;
    return { queued: false, synced, errors: failed, total_synced: synced.length, total_errors: failed.length };
  },
  'reconnect-sites-v1': async (input, { caller }) => {
    const { sites, errors } = await choose(references, list, input.site_ids_or_domains, 'disconnected');
    const result = await runner.run<Address>({ kind: 'reconnect', input: {}, sites, errors, requestedBy: caller.name });
    if (result.queued) return queuedView(result, links);
    const { results: reconnected, errors: failed } = result;
    return { reconnected, errors: failed, total_reconnected: reconnected.length, total_errors: failed.length };
  },
  'disconnect-sites-v1': async (input, { caller }) => {
    const { sites, errors } = await references.many(input.site_ids_or_domains);
    const result = await runner.run<Address>({
      kind: 'disconnect',
      input: {},
      sites,
      errors,
      requestedBy: caller.name,
    });
    if (result.queued) return queuedView(result, links);
    const { results: disconnected, errors: failed } = result;
    return { disconnected, errors: failed, total_disconnected: disconnected.length, total_errors: failed.length };
  },
  'suspend-sites-v1': async (input, { caller }) => {
    const { sites, errors } = await references.many(input.site_ids_or_domains);
    const result = await runner.run<Address>({ kind: 'suspend', input: {}, sites, errors, requestedBy: caller.name });
    if (result.queued) return queuedView(result, links);
    const { results: suspended, errors: failed } = result;
    return { suspended, errors: failed, total_suspended: suspended.length, total_errors: failed.length };
  },
});

/** The sites that are named, or, where none is, all in the state that the call is for. */
async function choose(
  references: SiteReferences,
  list: SiteList,
  refs: readonly SiteRef[],
  otherwise: 'connected' | 'disconnected',
): Promise<ResolvedSites> {
  if (refs.length > 0) return references.many(refs);
  const sites = await list.all({ status: otherwise });
  return { sites: sites.map((site) => ({ identifier: site.id, site })), errors: [] };
}

/** Sites that a call would reach and may not are items that failed, without a job of their own. */
function connectedAmong({ sites, errors }: ResolvedSites): { sites: FleetSite[]; errors: ItemError[] } {
  const failed = [...errors];
  const kept = sites.filter(({ identifier, site }) => {
    try {
      refuseUnlessConnected(site);
      return true;
    } catch (error) {
      failed.push(itemErrorOf(identifier, error, { site_id: site.id, site_url: site.url }));
      return false;
    }
  });
  return { sites: kept, errors: failed };
}
