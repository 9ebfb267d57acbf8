import { ABILITY_ROWS } from './abilities.ts';
import { ROUTE_ROWS } from './routes.ts';
import type { OperationRow } from './row-types.ts';

export { ADDRESS_ROWS, MAINWP_MOUNT_PATHS } from './addresses.ts';
export { FIELD_ROWS } from './fields.ts';
export { UNSUPPORTED_ROWS } from './unsupported.ts';
export { LENIENCIES } from './leniencies.ts';
export { ERROR_ROWS } from './errors.ts';
export type * from './row-types.ts';

export const OPERATION_ROWS: readonly OperationRow[] = [...ABILITY_ROWS, ...ROUTE_ROWS];
