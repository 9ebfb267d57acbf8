import type { ChangedObject } from './changed-object.ts';

/** Entry of the change log. It is stored in the transaction that makes the change. */
export interface Change {
  siteId: number | null;
  /** `<context>.<action>`, for example `site.suspended` or `plugin.activated`. */
  type: string;
  /** One sentence. Must not contain secrets. */
  description: string;
  /** User name of the caller, or `system`. */
  actor: string;
  thing?: ChangedObject;
}
