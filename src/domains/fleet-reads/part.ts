import { definePart, type OwnOf } from '../../platform/part.ts';
import type { Platform } from '../../platform/platform.ts';
import type { ClientsServices } from '../clients/index.ts';
import type { SitesServices } from '../sites/index.ts';
import type { TagsServices } from '../tags/index.ts';
import { FanOut } from './fan-out.ts';
import { SiteSelector } from './site-selection.ts';

interface FleetReadsPartDeps {
  clients: ClientsServices;
  sites: SitesServices;
  tags: TagsServices;
}

export const fleetReadsPart = ({ deadlines }: Platform, needs: FleetReadsPartDeps) =>
  definePart({
    name: 'fleet-reads',
    own: {
      selector: new SiteSelector({ ...needs.sites, ...needs.clients, ...needs.tags }),
      fanOut: new FanOut({ calls: needs.sites.calls, deadlineMs: deadlines.fanOutMs }),
    },
  });

export type FleetReadsServices = OwnOf<typeof fleetReadsPart>;
