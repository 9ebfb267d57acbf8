export { FanOut, type OutcomeStream, type SiteOutcome } from './fan-out.ts';
export { refuseEmptySelection, SiteSelector, type SelectedSites, type SiteSelection } from './site-selection.ts';
export type { FleetReadsServices } from './part.ts';
