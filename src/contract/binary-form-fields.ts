import type { Contract, Schema } from './contract.ts';
import { deref } from './references.ts';

export const binaryFormFields = (contract: Contract, form: Schema): string[] =>
  Object.entries(deref(contract, form).properties ?? {}).flatMap(([name, field]) =>
    isBinaryFile(deref(contract, field)) ? [name] : [],
  );

export const isBinaryFile = (schema: object): boolean => 'format' in schema && schema.format === 'binary';
