import type { VulnerableItems } from './vulnerable-items.ts';
import type { Vulnerabilities } from './vulnerabilities.ts';

/** What other parts and the surfaces may ask of the vulnerabilities. */
export interface VulnerabilitiesServices {
  vulnerabilities: Vulnerabilities;
  vulnerableItems: VulnerableItems;
}
