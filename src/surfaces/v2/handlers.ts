import type { operations } from '../../../generated/v2.ts';
import type { V2Parts } from '../../../generated/parts.ts';
import type { SomeHandlers } from '../../http/operation.ts';

/** The handlers of a part: of all operations that are written down in its folder of the contract, and of no other. */
export type HandlersOf<Part extends keyof V2Parts> = SomeHandlers<operations, V2Parts[Part]>;
