export type { PinsServices } from './part.ts';
export type { ListedPin } from './pin-read-model.ts';
export type { PinRun } from './pin-fleet.ts';
export { autoUpdateAfterFreeing, parsePinJobResult, type PinOnSite } from './pin.jobs.ts';
