import { startFleet, type Fleet, type SimulatedSite } from '../../../src/sandbox/index.ts';
import { connectedState } from './dashboard.ts';

/** Gives each test of a suite a fleet with one site that is registered. */
export function withFreshSite(take: (fresh: { fleet: Fleet; site: SimulatedSite }) => void): void {
  let fleet: Fleet;
  beforeEach(async () => {
    fleet = await startFleet({ sites: 1, primedKeys: connectedState });
    take({ fleet, site: fleet.sites[0] as SimulatedSite });
  });
  afterEach(() => fleet.close());
}
