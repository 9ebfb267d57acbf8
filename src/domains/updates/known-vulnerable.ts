import type { VulnerableItems } from '../vulnerabilities/index.ts';

/** Tells whether vulnerability data is available. */
export type KnownVulnerable = Pick<VulnerableItems, 'areKnown'>;
