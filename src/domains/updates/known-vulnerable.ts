import type { VulnerableItems } from '../vulnerabilities/index.ts';

/** Says whether it is known what is vulnerable. */
export type KnownVulnerable = Pick<VulnerableItems, 'areKnown'>;
