import type { VulnerableItems } from './vulnerable-items.ts';
import type { Vulnerabilities } from './vulnerabilities.ts';

export interface VulnerabilitiesServices {
  vulnerabilities: Vulnerabilities;
  vulnerableItems: VulnerableItems;
}
