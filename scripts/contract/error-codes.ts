import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

export interface CodeFacts {
  status: number;
  meaning: string;
  everywhere?: 'abilities' | 'v2' | 'body' | 'writes' | 'all';
  /** Fields of `ErrorData` that the code always brings, besides the status. */
  data?: string[];
  /** Fields that it may bring. */
  data_at_times?: string[];
}
export type CodeTable = Record<string, CodeFacts>;

/** openapi/shared/error-codes.yaml: all codes with their status and meaning. */
export const readErrorCodes = (): CodeTable =>
  parse(readFileSync(new URL('../../openapi/shared/error-codes.yaml', import.meta.url), 'utf8')) as CodeTable;
