import type { Caller } from '../../../shared/caller.ts';
import type { Permission } from '../../../shared/permissions.ts';

/** Returns the permissions of the caller, sorted: those of the role that the scope of the credential includes. */
export const permissionsOf = ({ permissions }: Caller): Permission[] => [...permissions].sort();
