import type { Caller } from '../shared/caller.ts';
import type { OperationPolicy } from './operation-policy.ts';

declare module 'express-serve-static-core' {
  /** What one request carries from middleware to middleware. */
  interface Locals {
    requestId: string;
    caller?: Caller;
    /** Set once the contract knows the call. */
    operationId?: string;
    policy?: OperationPolicy;
  }
}

declare global {
  // oxlint-disable-next-line typescript/no-namespace
  namespace Express {
    // Passport's user is our caller.
    // oxlint-disable-next-line typescript/no-empty-object-type
    interface User extends Caller {}
  }
}
