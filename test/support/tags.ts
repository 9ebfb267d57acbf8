import { updateSite } from './sites.ts';
import type { World } from './world.ts';

/** Creates a tag, which becomes the only tag of these sites. Returns its ID. */
export async function createTag(world: World, name: string, ...sites: number[]): Promise<number> {
  const { id } = await world.ability<{ id: number }>('add-tag-v1', { name });
  for (const site of sites) await updateSite(world, site, { tags: [id] });
  return id;
}
