import { definePart, type OwnOf } from '../../platform/part.ts';
import type { Platform } from '../../platform/platform.ts';
import type { FleetReadsServices } from '../fleet-reads/index.ts';
import type { SitesServices } from '../sites/index.ts';
import { ContentService } from './content-service.ts';

interface ContentPartDeps {
  fleetReads: FleetReadsServices;
  sites: SitesServices;
}

export function contentPart({ clock, child }: Platform, { sites, fleetReads }: ContentPartDeps) {
  const { calls, childChanges } = sites;
  const content = new ContentService({ clock, child, calls, ...fleetReads, childChanges });
  return definePart({ name: 'content', own: { content } });
}

export type ContentServices = OwnOf<typeof contentPart>;
