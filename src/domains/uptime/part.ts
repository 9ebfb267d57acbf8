import { part } from '../../part.ts';
import type { Platform } from '../../platform.ts';
import type { SitesServices } from '../sites/index.ts';
import { checkJob } from './check.job.ts';
import { UptimeCheck, type Limit } from './uptime-check.ts';

interface Needs {
  sites: SitesServices;
}

/** Whether the web servers of the sites answer. */
export function uptimePart(platform: Platform, { sites }: Needs) {
  const { outbound, child, deadlines } = platform;
  const uptime = new UptimeCheck({
    outbound,
    links: sites.links,
    limit: checkLimit(platform),
    onReachable: (siteId) => child.revive(siteId),
    deadlineMs: deadlines.checkMs,
  });
  const checkSite = checkJob(uptime);
  return part({ name: 'uptime', own: { uptime, checkSite }, jobs: [checkSite] });
}

/** Checks wait their turn with all other calls to the same address. */
function checkLimit({ child: { scheduler }, outbound }: Platform): Limit {
  return async (site, work, signal) => {
    // A name that leads nowhere is for the check itself to find.
    const ipKey = await outbound.resolve(site.url).then(
      ({ address }) => address,
      () => null,
    );
    if (ipKey === null) return work();
    return scheduler.schedule({ siteId: null, ipKey, kind: 'check', run: work, ...(signal && { signal }) });
  };
}
