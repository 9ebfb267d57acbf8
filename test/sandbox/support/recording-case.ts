import type { SimulatedSite } from '../../../src/sandbox/index.ts';
import type { ChildResponse } from './dashboard.ts';

/**
 * Which request made each recorded answer, and what the site had to be like. The site is registered unless `fresh` is
 * set.
 */
export interface RecordingCase {
  fresh?: true;
  prepare?: (site: SimulatedSite) => unknown;
  request: (site: SimulatedSite) => Promise<ChildResponse>;
}
