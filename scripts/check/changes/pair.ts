import type { Contract, ContractOperation } from '../../../src/contract/index.ts';
import type { Kind } from './kinds.ts';
import type { SchemaComparison, SchemaComparer } from './schemas.ts';

/** A contract as far as it can change; security holds for all operations that say nothing of it. */
export interface ComparableContract extends Contract {
  security?: Record<string, string[]>[];
}

export interface ComparableOperation extends ContractOperation {
  security?: Record<string, string[]>[];
  /** All its error codes by status, as a release keeps them. */
  'x-error-codes'?: Record<string, string[]>;
}

/** Takes what is found about one operation. */
export interface ChangeRecorder {
  record: (kind: Kind, subject: string, message: string) => void;
  include: (comparison: SchemaComparison) => void;
}

/** A contract before and after, and what finds and takes the differences of an operation. */
export interface ContractPair {
  before: ComparableContract;
  after: ComparableContract;
  schemas: SchemaComparer;
  recorder: ChangeRecorder;
}
