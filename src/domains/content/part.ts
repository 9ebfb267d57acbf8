import { part } from '../../part.ts';
import type { Platform } from '../../platform.ts';
import type { Needs } from '../../services.ts';
import { ContentService } from './content-service.ts';

/** Posts and pages. */
export function contentPart(
  { knex, clock, child, changeLog }: Platform,
  { sites, fleetReads }: Needs<'sites' | 'fleetReads'>,
) {
  const { calls, references } = sites;
  const content = new ContentService({ knex, clock, child, calls, references, ...fleetReads, changeLog });
  return part({ name: 'content', own: { content } });
}
