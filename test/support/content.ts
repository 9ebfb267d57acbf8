import type { SimulatedSite } from '../../src/sandbox/index.ts';
import { systemClock, type Clock } from '../../src/shared/clock.ts';
import { clearFaults } from './sites.ts';
import { withWorld, type World } from './world.ts';

/**
 * Gives a suite a world, its first site, and the base path of the posts or pages of that site. A given clock is used by
 * the service and by the sites.
 */
export function withContentWorld(
  { kind = 'posts', sites = 1, clock = systemClock }: { kind?: 'posts' | 'pages'; sites?: number; clock?: Clock },
  take: (started: { world: World; site: SimulatedSite; root: string }) => void,
): void {
  let world: World;
  withWorld({ sites, fleet: { now: () => clock.now() }, overrides: { clock } }, (started) => {
    world = started;
    take({ world, site: world.site(0), root: `/api/v2/${kind}/${world.siteId(0)}` });
  });
  afterEach(() => clearFaults(world));
}
