import type { ChangedThing } from './changed-thing.ts';

/** Something that was done here, to be remembered beside what it changed. */
export interface Change {
  /** Null for what concerns no single site. */
  siteId: number | null;
  /** `<context>.<action>`, e.g. `site.suspended`, `plugin.activated`. */
  type: string;
  /** One sentence; no secret. */
  description: string;
  /** User name of the caller, or `system`. */
  actor: string;
  thing?: ChangedThing;
}
