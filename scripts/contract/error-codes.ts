import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

export interface ErrorCodeEntry {
  status: number;
  meaning: string;
  /** Fields of `ErrorData` that the code always brings, besides the status. */
  data?: string[];
  /** Fields that it may bring. */
  data_at_times?: string[];
  /** An error as the service sends it. The message defaults to the meaning. */
  example?: { message: string; data?: Record<string, unknown> };
}
export type ErrorCodeTable = Record<string, ErrorCodeEntry>;

interface ErrorCodesFile {
  /** Codes that many operations share, by shared response and by kind of operation. */
  responses: Record<string, Record<string, string[]>>;
  codes: ErrorCodeTable;
  /** Meaning of each code that only items of a response have. */
  items: Record<string, string>;
  /** Advice to the caller for each code. */
  remedies: Record<string, string>;
}

const readFile = (): ErrorCodesFile =>
  parse(readFileSync(new URL('../../openapi/shared/error-codes.yaml', import.meta.url), 'utf8')) as ErrorCodesFile;

/** All codes of openapi/shared/error-codes.yaml. */
export const readErrorCodes = (): ErrorCodeTable => readFile().codes;

/** Meanings of the codes that only items of a response have. */
export const readItemCodes = (): Record<string, string> => readFile().items;

export const readRemedies = (): Record<string, string> => readFile().remedies;

/** `generated/error-codes.ts`: status of each code, and the codes of the shared responses. */
export function errorCodesFile(): string {
  const { codes, responses } = readFile();
  const statuses = Object.fromEntries(Object.entries(codes).map(([code, { status }]) => [code, { status }]));
  return [
    `export const ERROR_CODES = ${JSON.stringify(statuses, null, 2)} as const;`,
    `export const SHARED_CODES = ${JSON.stringify(responses, null, 2)} as const;`,
    '',
  ].join('\n');
}
