import { ABILITIES } from './abilities.ts';
import { ROUTES } from './routes.ts';
import type { OperationRow } from './rows.ts';

export { ADDRESSES, MOUNTS } from './addresses.ts';
export { FIELDS } from './fields.ts';
export { LEFT } from './left.ts';
export { LENIENCIES } from './leniencies.ts';
export { REFUSALS } from './refusals.ts';
export type * from './rows.ts';

export const OPERATIONS: readonly OperationRow[] = [...ABILITIES, ...ROUTES];
