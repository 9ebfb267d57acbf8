import type { CallWait } from './call-wait.ts';
import type { Permission, Scope } from './permissions.ts';
import type { SiteScope } from './site-scope.ts';

export interface Caller {
  userId: number;
  name: string;
  /** Name of the role. */
  role: string;
  /** Scope of the credential. An application password has the scope `read_write`. */
  scope: Scope;
  /** Permissions of the role that the scope includes. */
  permissions: ReadonlySet<Permission>;
  /** The sites that the caller may see and change. */
  sites: SiteScope;
  /** Null for an application password. */
  keyId: number | null;
  /** Identifies the credential in limits and logs, for example `key:3`. Not secret. */
  credential: string;
  /** Default: the call waits until the deadlines of the service. */
  wait?: CallWait | undefined;
}
