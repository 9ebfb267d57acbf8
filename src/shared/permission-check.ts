import type { Caller } from './caller.ts';
import { ForbiddenError } from './errors.ts';
import type { Permission } from './permissions.ts';

export function requirePermission(caller: Pick<Caller, 'permissions'>, permission: Permission): void {
  if (!caller.permissions.has(permission))
    throw new ForbiddenError('svc_permission_denied', `This credential does not have the permission ${permission}.`, {
      permission,
    });
}
