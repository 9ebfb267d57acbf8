export { FanOut, type OutcomeStream, type SiteOutcome } from './fan-out.ts';
export { SiteSelector, type SelectedSites, type SiteSelection } from './site-selection.ts';
export type { FleetReadsServices } from './part.ts';
