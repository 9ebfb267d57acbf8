import type { FanOut } from './fan-out.ts';
import type { SiteSelector } from './site-selection.ts';

/** What other parts and the surfaces may ask of the fleet reads. */
export interface FleetReadsServices {
  selector: SiteSelector;
  fanOut: FanOut;
}
