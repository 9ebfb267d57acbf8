import type { SiteSelection } from '../../domains/fleet-reads/index.ts';
import { presentFields } from './input.ts';

export const SELECTION_NAMES = { sites: 'websites', tags: 'groups' } as const;

type Names = readonly (string | number)[];

/**
 * Returns the selected sites. IDs may be numbers or texts. `websites` keeps its type, because errors repeat the site as
 * the caller wrote it.
 */
export const selectionIn = ({
  websites,
  groups,
  clients,
}: {
  websites?: Names | undefined;
  groups?: Names | undefined;
  clients?: Names | undefined;
}): SiteSelection => presentFields({ sites: websites, tags: groups?.map(String), clients: clients?.map(String) });
