import type { Contract } from '../../src/contract/index.ts';

/** A whole document: a contract with what its readers are told. */
export interface Document extends Contract {
  info: { title: string; version: string; description?: string };
  tags?: { name: string; description?: string; 'x-traitTag'?: boolean }[];
  [key: string]: unknown;
}
