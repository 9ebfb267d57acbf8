import { definePart, type OwnOf } from '../../platform/part.ts';
import type { Platform } from '../../platform/platform.ts';
import type { ChangesServices } from '../changes/index.ts';
import type { FleetReadsServices } from '../fleet-reads/index.ts';
import type { SitesServices } from '../sites/index.ts';
import { ContentService } from './content-service.ts';

interface Needs {
  changes: ChangesServices;
  fleetReads: FleetReadsServices;
  sites: SitesServices;
}

export function contentPart({ knex, clock, child }: Platform, { changes, sites, fleetReads }: Needs) {
  const { changeLog } = changes;
  const { calls } = sites;
  const content = new ContentService({ knex, clock, child, calls, ...fleetReads, changeLog });
  return definePart({ name: 'content', own: { content } });
}

export type ContentServices = OwnOf<typeof contentPart>;
