import type { FanOut } from './fan-out.ts';
import type { SiteSelector } from './site-selection.ts';

export interface FleetReadsServices {
  selector: SiteSelector;
  fanOut: FanOut;
}
