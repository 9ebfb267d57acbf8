import type { Caller } from '../../../shared/caller.ts';
import type { Permission } from '../../../shared/permissions.ts';

/** Returns the permissions that the credential and the role of its user have together, sorted. */
export const permissionsOf = ({ permissions }: Caller): Permission[] => [...permissions].sort();
