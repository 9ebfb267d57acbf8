import type { Caller } from '../../shared/caller.ts';
import { ForbiddenError } from '../../shared/errors.ts';
import { ADMINISTRATOR, type Permission } from '../../shared/permissions.ts';
import { isLimited, type SiteLimit } from '../../shared/site-scope.ts';

/** Throws `svc_permission_denied` if `by` hands out, or takes control of, a permission that it does not have itself. */
export function refuseForeignPermissions(by: Caller | undefined, permissions: readonly Permission[]): void {
  const missing = by ? permissions.find((each) => !by.permissions.has(each)) : undefined;
  if (missing !== undefined)
    throw new ForbiddenError(
      'svc_permission_denied',
      `This call concerns the permission ${missing}, which this credential does not have itself.`,
      { permission: missing },
    );
}

/** Throws `svc_permission_denied` if `by` removes a site limit and is not an administrator without a site limit. */
export function refuseUnlimiting(
  before: SiteLimit | null,
  after: SiteLimit | null | undefined,
  by: Caller | undefined,
): void {
  if (by && (by.role !== ADMINISTRATOR || isLimited(by.sites)) && before !== null && after === null)
    throw new ForbiddenError(
      'svc_permission_denied',
      'Only an administrator without a limit can remove a limit of sites.',
    );
}
