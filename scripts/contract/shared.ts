import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Schema } from '../../src/contract/index.ts';

export interface CodeFacts {
  status: number;
  meaning: string;
  everywhere?: 'abilities' | 'v2' | 'body' | 'writes' | 'all';
  /** Fields of `ErrorData` that it always brings, beside the status. */
  data?: string[];
  /** Fields that it may bring. */
  data_at_times?: string[];
}
export type CodeTable = Record<string, CodeFacts>;

/** A file of openapi/shared/, with its references as they stand in a bundle. */
function readShared(name: string): Record<string, unknown> {
  const text = readFileSync(new URL(`../../openapi/shared/${name}.yaml`, import.meta.url), 'utf8');
  return parse(text.replaceAll("'#/", "'#/components/schemas/")) as Record<string, unknown>;
}

/** openapi/shared/errors.yaml: the table of codes, and the schemas that every refused answer is made of. */
export function readSharedErrors(): { table: CodeTable; schemas: Record<string, Schema> } {
  const { ErrorCode, ApiError, ErrorMessage, ErrorData, FieldError } = readShared('errors') as Record<string, Schema>;
  const { 'x-codes': table, ...code } = ErrorCode as { 'x-codes': CodeTable };
  const named = { ApiError, ErrorCode: { ...code, enum: Object.keys(table) }, ErrorMessage, ErrorData, FieldError };
  return { table, schemas: named as Record<string, Schema> };
}

export const readSharedHeaders = (): Record<string, unknown> => readShared('headers');
