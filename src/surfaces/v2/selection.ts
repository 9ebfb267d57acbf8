import type { SiteSelection } from '../../domains/fleet-reads/index.ts';
import { presentFields } from './input.ts';

/** What the contract calls the sites and the tags by which a call names the sites that it means. */
export const SELECTION_NAMES = { sites: 'websites', tags: 'groups' } as const;

type Names = readonly (string | number)[];

/** The sites of a call; numbers and texts name a thing alike, and errors name a site as it was written. */
export const selectionIn = ({
  websites,
  groups,
  clients,
}: {
  websites?: Names | undefined;
  groups?: Names | undefined;
  clients?: Names | undefined;
}): SiteSelection => presentFields({ sites: websites, tags: groups?.map(String), clients: clients?.map(String) });
