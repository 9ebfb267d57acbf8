import type { Contract, ContractOperation } from '../../contract/index.ts';
import type { Kind } from './kinds.ts';
import type { SchemaComparison, SchemaComparer } from './schemas.ts';

/** The parts of a contract that are compared. `security` applies to operations without their own. */
export interface ComparableContract extends Contract {
  security?: Record<string, string[]>[];
}

export interface ComparableOperation extends ContractOperation {
  security?: Record<string, string[]>[];
  /** Error codes by status, as `addErrorLists` adds them. */
  'x-error-codes'?: Record<string, string[]>;
}

/** Collects the differences of one operation. */
export interface ChangeRecorder {
  record: (kind: Kind, subject: string, message: string) => void;
  include: (comparison: SchemaComparison) => void;
}

/** Two versions of a contract and the comparer of their schemas. */
export interface ContractPair {
  before: ComparableContract;
  after: ComparableContract;
  schemas: SchemaComparer;
  recorder: ChangeRecorder;
}
