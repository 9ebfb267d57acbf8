import { PERMISSIONS } from '../../generated/permissions.ts';

export const SCOPES = ['read', 'write', 'read_write'] as const;
/** `read` includes the permissions of the role that read, `write` those that write, and `read_write` both. */
export type Scope = (typeof SCOPES)[number];

export type Permission = keyof typeof PERMISSIONS;

export interface PermissionFacts {
  /**
   * Scope that a key needs in addition to a role with the permission. With `any`, every valid credential has the
   * permission, whatever its role.
   */
  readonly scope: Scope | 'any';
  /** Built-in roles that have the permission, besides `administrator`. */
  readonly roles: readonly string[];
  /** Completes the sentence "Allows to …". */
  readonly meaning: string;
}

export const PERMISSION_FACTS: Readonly<Record<string, PermissionFacts>> = PERMISSIONS;

export const PERMISSION_NAMES = Object.keys(PERMISSIONS) as Permission[];

export const isPermission = (name: string): name is Permission => Object.hasOwn(PERMISSION_FACTS, name);

export const ADMINISTRATOR = 'administrator';
/** Their permissions are in openapi/shared/permissions.yaml. */
export const BUILT_IN_ROLES = [ADMINISTRATOR, 'manager', 'operator', 'editor', 'viewer', 'client'] as const;
export type BuiltInRole = (typeof BUILT_IN_ROLES)[number];

export const isBuiltInRole = (name: string): name is BuiltInRole =>
  (BUILT_IN_ROLES as readonly string[]).includes(name);

export const permissionsOfBuiltInRole = (role: BuiltInRole): Permission[] =>
  PERMISSION_NAMES.filter((name) => role === ADMINISTRATOR || PERMISSION_FACTS[name]?.roles.includes(role));

/** Returns those of `granted` that a credential of the scope has, and the permissions that every credential has. */
export const permissionsInScope = (granted: readonly Permission[], scope: Scope): ReadonlySet<Permission> =>
  new Set(PERMISSION_NAMES.filter((name) => isIncluded(name, granted, scope)));

function isIncluded(name: Permission, granted: readonly Permission[], scope: Scope): boolean {
  const needed = PERMISSION_FACTS[name]?.scope ?? 'read_write';
  return needed === 'any' || (granted.includes(name) && (scope === 'read_write' || scope === needed));
}
