import { part } from '../../part.ts';
import type { Platform } from '../../platform.ts';
import type { Needs } from '../../services.ts';
import { FanOut } from './fan-out.ts';
import { SiteSelector } from './site-selection.ts';

/** Questions that are asked of many sites at once. */
export const fleetReadsPart = ({ deadlines }: Platform, needs: Needs<'sites' | 'clients' | 'tags'>) =>
  part({
    name: 'fleet-reads',
    own: {
      selector: new SiteSelector({ ...needs.sites, ...needs.clients, ...needs.tags }),
      fanOut: new FanOut({ calls: needs.sites.calls, deadlineMs: deadlines.fanOutMs }),
    },
  });
