import type { operations } from '../../../generated/abilities.ts';
import type { FleetRunner } from '../../domains/jobs/index.ts';
import type { CheckItemResult, UptimeCheck } from '../../domains/monitors/index.ts';
import type { SiteReferences, SiteTargets } from '../../domains/sites/index.ts';
import type { SomeHandlers } from '../../http/operation.ts';
import { queuedView, type Links } from './jobs.view.ts';
import { checksView, checkView } from './monitors.view.ts';

export interface MonitorsParts {
  targets: SiteTargets;
  references: SiteReferences;
  uptime: UptimeCheck;
  runner: FleetRunner;
  links: Links;
}

type Names = 'check-site-v1' | 'check-sites-v1';

/** Asks web servers whether they answer; the status of a site plays no part. */
export const monitors = ({
  targets,
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
    const { sites, errors } = await targets.choose(site_ids_or_domains, 'any');
    const call = { kind: 'check', input: {}, sites, errors, requestedBy: caller.name };
    const result = await runner.run<CheckItemResult>(call);
    return result.queued ? queuedView(result, links) : checksView(result.results, result.errors);
  },
});
