import type { CallWait } from './call-wait.ts';
import type { Permission, Scope } from './permissions.ts';
import type { SiteScope } from './site-scope.ts';

export interface Caller {
  userId: number;
  name: string;
  role: string;
  /** An application password, which belongs to a user of this service, always has the scope `read_write`. */
  scope: Scope;
  /** Permissions of the role, without those that the scope excludes. */
  permissions: ReadonlySet<Permission>;
  sites: SiteScope;
  /** ID of the API key. Null if the caller used an application password. */
  keyId: number | null;
  /** Identifies the credential in limits and logs, for example `key:3`. Not secret. */
  credential: string;
  wait?: CallWait | undefined;
}
