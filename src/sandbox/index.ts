/** A simulated fleet of child sites that use the real wire protocol, for tests, benchmarks and the demo. */
export { startFleet, type Fleet, type FleetOptions } from './fleet.ts';
export type { Fault, FaultSpec } from './faults.ts';
export type { SimulatedSite } from './site.ts';
export type { Plugin } from './state/site-state.ts';
export type { WpAdminAction } from './wp-admin-actions.ts';
export { PLUGINS, THEMES } from './state/catalogue.ts';
