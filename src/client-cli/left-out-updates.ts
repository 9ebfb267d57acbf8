import { ConnectionError, isRefusal, type ItemOf, type Sitefleet, type UpdateGroup } from '../sdk/index.ts';
import type { CommandContext } from './command-context.ts';
import { parseSite } from './options.ts';
import { splitForQuery } from './query-parts.ts';

export interface LeftOutSelection {
  /** IDs or URLs; empty for all sites. */
  site: readonly string[];
  type: readonly UpdateGroup[];
  /** Slugs; empty for all. */
  item: readonly string[];
}

export type LeftOutUpdate = ItemOf<'updates_left_out'>;

/** Yields the updates that are ignored or that a version pin excludes. Lists and runs of updates leave these out. */
export async function* leftOutUpdates(
  fleet: Sitefleet,
  command: CommandContext,
  selection: LeftOutSelection,
): AsyncGenerator<LeftOutUpdate> {
  const { item } = selection;
  for (const filter of await filtersOf(fleet, command, selection))
    for await (const update of fleet.items('updates_left_out', { query: { per_page: PAGE, ...filter } }, command.call))
      if (item.length === 0 || item.includes(update.slug)) yield update;
}

async function countLeftOut(fleet: Sitefleet, command: CommandContext, selection: LeftOutSelection): Promise<number> {
  let count = 0;
  if (selection.item.length > 0) {
    for await (const _ of leftOutUpdates(fleet, command, selection)) count++;
    return count;
  }
  for (const filter of await filtersOf(fleet, command, selection))
    count += (await fleet.route('updates_left_out', { query: { per_page: 1, ...filter } }, command.call)).total;
  return count;
}

interface LeftOutFilter {
  type?: Exclude<UpdateGroup, 'translations'>[];
  include?: number[];
}

/**
 * Returns the filter of each request. There is none if no update can match: only translations are selected, which can
 * be neither ignored nor pinned, or none of the named sites exists.
 */
async function filtersOf(
  fleet: Sitefleet,
  command: CommandContext,
  { site, type }: LeftOutSelection,
): Promise<LeftOutFilter[]> {
  const types = type.filter((each) => each !== 'translations');
  if (type.length > 0 && types.length === 0) return [];
  const byType = types.length > 0 ? { type: types } : {};
  if (site.length === 0) return [byType];
  return splitForQuery(await siteIds(fleet, command, site)).map((include) => ({ ...byType, include }));
}

/** Maximum number of named sites for the hint, which needs one call for each given URL. */
const MOST_SITES = 300;

export async function leftOutHint(
  fleet: Sitefleet,
  command: CommandContext,
  selection: LeftOutSelection,
): Promise<string> {
  if (selection.site.length > MOST_SITES) return '';
  let count: number;
  try {
    count = await countLeftOut(fleet, command, selection);
  } catch (error) {
    // The hint must not prevent a run. A service of an earlier release, for example, does not have the list.
    if (isRefusal(error) || error instanceof ConnectionError) return '';
    throw error;
  }
  if (count === 0) return '';
  const options = [
    ...selection.site.map((site) => ` --site ${site}`),
    ...selection.type.map((type) => ` --type ${type}`),
  ].join('');
  const are = count === 1 ? '1 update is' : `${count} updates are`;
  return `${are} left out: ignored or outside of a pin. To see them, run: sitefleet updates left-out${options}\n`;
}

/** Returns the IDs of sites that were given by ID or URL. Skips unknown sites: the run of updates reports them. */
async function siteIds(fleet: Sitefleet, command: CommandContext, sites: readonly string[]): Promise<number[]> {
  const lookups = sites.map(async (site) => {
    const reference = parseSite(site);
    if (typeof reference === 'number') return [reference];
    try {
      const { data } = await fleet.route('sites_get', { path: { id_or_domain: reference } }, command.call);
      return [data.id];
    } catch (error) {
      if (isRefusal(error, 'svc_site_not_found', 'svc_ambiguous_site')) return [];
      throw error;
    }
  });
  return (await Promise.all(lookups)).flat();
}

const PAGE = 100;
