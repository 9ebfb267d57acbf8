import type { SimulatedSite } from '../../../src/sandbox/index.ts';
import type { ChildResponse } from './dashboard.ts';

/** Request of a recorded response, and the state of the site. The site is registered unless `fresh` is set. */
export interface RecordingCase {
  fresh?: true;
  prepare?: (site: SimulatedSite) => unknown;
  request: (site: SimulatedSite) => Promise<ChildResponse>;
}
