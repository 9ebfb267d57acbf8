import type { Contract, ContractOperation } from '../../contract/index.ts';
import type { Kind } from './kinds.ts';
import type { SchemaComparison, SchemaComparer } from './schemas.ts';

export interface ComparableContract extends Contract {
  security?: Record<string, string[]>[];
}

export interface ComparableOperation extends ContractOperation {
  security?: Record<string, string[]>[];
  'x-error-codes'?: Record<string, string[]>;
}

export interface ChangeRecorder {
  record: (kind: Kind, subject: string, message: string) => void;
  include: (comparison: SchemaComparison) => void;
}

export interface ContractPair {
  before: ComparableContract;
  after: ComparableContract;
  schemas: SchemaComparer;
  recorder: ChangeRecorder;
}
