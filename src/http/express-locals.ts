import type { Caller } from '../shared/caller.ts';
import type { OperationPolicy } from './operation-policy.ts';

declare module 'express-serve-static-core' {
  interface Locals {
    requestId: string;
    caller?: Caller;
    operationId?: string;
    policy?: OperationPolicy;
    expectedOperation?: string | undefined;
    isUncounted?: boolean | undefined;
  }
}

declare global {
  // oxlint-disable-next-line typescript/no-namespace
  namespace Express {
    // oxlint-disable-next-line typescript/no-empty-object-type
    interface User extends Caller {}
  }
}
