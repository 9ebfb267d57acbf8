import type { CallWait } from './call-wait.ts';
import type { Permission, Scope } from './permissions.ts';
import type { SiteScope } from './site-scope.ts';

export interface Caller {
  userId: number;
  name: string;
  role: string;
  /** An application password has the scope `read_write`. */
  scope: Scope;
  /** Permissions of the role that the scope includes. */
  permissions: ReadonlySet<Permission>;
  sites: SiteScope;
  /** Null for an application password. */
  keyId: number | null;
  /** Identifies the credential in limits and logs, for example `key:3`. Not secret. */
  credential: string;
  wait?: CallWait | undefined;
}
