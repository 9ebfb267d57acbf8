import type { operations } from '../../../generated/abilities.ts';
import type { FleetCall, FleetRunner } from '../../domains/jobs/index.ts';
import type { CheckItemResult, UptimeCheck } from '../../domains/monitors/index.ts';
import type { SiteList, SiteRef, SiteReferences } from '../../domains/sites/index.ts';
import type { SomeHandlers } from '../../http/operation.ts';
import { queuedView, type Links } from './jobs.view.ts';
import { checksView, checkView } from './monitors.view.ts';

export interface MonitorsParts {
  list: SiteList;
  references: SiteReferences;
  uptime: UptimeCheck;
  runner: FleetRunner;
  links: Links;
}

type Names = 'check-site-v1' | 'check-sites-v1';
type Chosen = Pick<FleetCall, 'sites' | 'errors'>;

/** Asks web servers whether they answer; the status of a site plays no part. */
export const monitors = ({
  list,
  references,
  uptime,
  runner,
  links,
}: MonitorsParts): SomeHandlers<operations, Names> => ({
  'check-site-v1': async ({ site_id_or_domain }) => {
    const { id } = await references.one(site_id_or_domain);
    return checkView(await uptime.check(id));
  },
  'check-sites-v1': async ({ site_ids_or_domains }, { caller }) => {
    const { sites, errors } = await choose(references, list, site_ids_or_domains);
    const call = { kind: 'check', input: {}, sites, errors, requestedBy: caller.name };
    const result = await runner.run<CheckItemResult>(call);
    return result.queued ? queuedView(result, links) : checksView(result.results, result.errors);
  },
});

/** The sites that are named, or, where none is, all there are. */
async function choose(references: SiteReferences, list: SiteList, refs: readonly SiteRef[]): Promise<Chosen> {
  if (refs.length > 0) return references.many(refs);
  const sites = await list.all({});
  return { sites: sites.map((site) => ({ identifier: site.id, site })), errors: [] };
}
