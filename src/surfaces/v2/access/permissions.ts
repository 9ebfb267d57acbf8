import type { Caller } from '../../../shared/caller.ts';
import type { Permission } from '../../../shared/permissions.ts';

/** A caller has the permissions of the role that the scope of the credential also contains. */
export const permissionsOf = ({ permissions }: Caller): Permission[] => [...permissions].sort();
