/** A simulated fleet of child sites that speak the real wire protocol: the door for tests, benchmarks and the demo. */
export { startFleet, type Fleet, type FleetOptions } from './fleet.ts';
export type { Fault, Trouble } from './faults.ts';
export type { Defects } from './operations/defects.ts';
export type { RequestEntry } from './request-log.ts';
export type { SimulatedSite } from './site.ts';
export type { Plugin, SiteState, Theme } from './state/types.ts';
export type { CertificateDefect } from './tls.ts';
export type { VisitorAct } from './visitor.ts';
