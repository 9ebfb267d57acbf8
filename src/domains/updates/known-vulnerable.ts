import type { VulnerableItems } from '../vulnerabilities/index.ts';

export type KnownVulnerable = Pick<VulnerableItems, 'areKnown'>;
