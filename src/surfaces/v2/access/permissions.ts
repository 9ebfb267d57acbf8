import type { Caller } from '../../../shared/caller.ts';
import type { Permission } from '../../../shared/permissions.ts';

export const permissionsOf = ({ permissions }: Caller): Permission[] => [...permissions].sort();
