import type { SimulatedSite } from '../../src/sandbox/index.ts';
import { healSites } from './sites.ts';
import { withWorld, type World } from './world.ts';

/** Gives a suite a world, its first site, and the address below which the posts or pages of that site are. */
export function withPosts(
  { kind = 'posts', sites = 1 }: { kind?: 'posts' | 'pages'; sites?: number },
  take: (started: { world: World; site: SimulatedSite; root: string }) => void,
): void {
  let world: World;
  withWorld({ sites }, (started) => {
    world = started;
    take({ world, site: world.site(0), root: `/api/v2/${kind}/${world.siteId(0)}` });
  });
  afterEach(() => healSites(world));
}
