import {
  isBuiltInRole,
  isPermission,
  permissionsOfBuiltInRole,
  type BuiltInRole,
  type Permission,
} from '../../shared/permissions.ts';

export interface Role {
  /** Null for a built-in role. */
  id: number | null;
  name: string;
  description: string;
  permissions: Permission[];
}

export type OwnRole = Role & { id: number };

const DESCRIPTIONS: Record<BuiltInRole, string> = {
  administrator: 'Everything.',
  manager: 'Everything on sites, clients and reports; changes no settings, and manages no tools, users or keys.',
  operator: 'Syncs sites and installs updates.',
  editor: 'Edits posts and pages, and moderates comments.',
  viewer: 'Reads everything except the change log of the fleet, users and keys.',
  client: 'Reads reports and uptime.',
};

export const builtInRole = (name: BuiltInRole): Role => ({
  id: null,
  name,
  description: DESCRIPTIONS[name],
  permissions: permissionsOfBuiltInRole(name),
});

/** Value of `users.role` if `users.role_id` names the role. */
export const OWN_ROLE = 'own';

/** Columns of a user's role. `role_name` and `role_permissions` are null unless an operator defined the role. */
export interface RoleColumns {
  role: string;
  role_name: string | null;
  role_permissions: string | null;
}

export const roleNameIn = ({ role, role_name: name }: Pick<RoleColumns, 'role' | 'role_name'>): string => name ?? role;

/** Returns no permissions for a role that this release does not know, as after a downgrade of the service. */
export function rolePermissionsIn({ role, role_permissions: stored }: Omit<RoleColumns, 'role_name'>): Permission[] {
  if (stored !== null) return parsePermissions(stored);
  return isBuiltInRole(role) ? permissionsOfBuiltInRole(role) : [];
}

export const parsePermissions = (stored: string): Permission[] => (JSON.parse(stored) as string[]).filter(isPermission);
