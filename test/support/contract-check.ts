import { appendFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { ResponseChecker } from '../../src/contract-checks/index.ts';
import { readErrorCodes } from '../../scripts/contract/error-codes.ts';
import { operationsOf, type Contract } from '../../src/contract/index.ts';
import { readContract, type SurfaceName } from '../../src/surfaces/generated-files.ts';

/**
 * Returns the contract with closed error data. Callers must accept new error details, but the present ones must be
 * documented.
 */
function withClosedData(contract: Contract): Contract {
  const { ErrorData, ...schemas } = contract.components['schemas'] as Record<string, object>;
  const closed = { ...schemas, ErrorData: { ...ErrorData, additionalProperties: false } };
  return { ...contract, components: { ...contract.components, schemas: closed } };
}

interface ErrorBody {
  code: string;
  data: Record<string, unknown>;
}

const codes = readErrorCodes();

/** Throws if an error has other details than the table of error codes lists. */
function checkDetails({ code, data }: ErrorBody): void {
  const { data: always = [], data_at_times: atTimes = [] } = codes[code] ?? {};
  const missing = always.filter((field) => !(field in data));
  const others = Object.keys(data).filter((field) => field !== 'status' && ![...always, ...atTimes].includes(field));
  if (missing.length > 0 || others.length > 0)
    throw new Error(
      `The table of codes says otherwise of the data of ${code}: ` +
        `${missing.join(', ') || 'nothing'} is missing, ${others.join(', ') || 'nothing'} is not named there.`,
    );
}

const taggedOperations: Partial<Record<SurfaceName, Set<string>>> = {};

/** Returns the IDs of the operations that document an `ETag` of their 200. */
const readTaggedOperations = (contract: Contract): Set<string> =>
  new Set(
    operationsOf(contract)
      .filter(({ operation }) => operation.responses['200']?.headers?.['ETag'] !== undefined)
      .map(({ operation }) => operation.operationId),
  );

/** Throws if a change answers with an `ETag` that is not documented, or without a documented one. */
function checkEtag(surface: SurfaceName, operation: string, headers: IncomingHttpHeaders): void {
  const documented = (taggedOperations[surface] ??= readTaggedOperations(readContract(surface))).has(operation);
  if (documented === (headers.etag !== undefined)) return;
  throw new Error(`${operation} answers ${documented ? 'without its documented' : 'with an undocumented'} ETag.`);
}

const checks: Partial<Record<SurfaceName, ResponseChecker>> = {};
const recorded = new Set<string>();

/** Records which responses the tests have met. */
function record(operation: string, status: number): void {
  const file = process.env['CONTRACT_COVERAGE_FILE'];
  const line = `${operation} ${status}\n`;
  if (!file || recorded.has(file + line)) return;
  recorded.add(file + line);
  appendFileSync(file, line);
}

/** Throws if a response does not fit the contract. */
export function checkResponse(
  method: string,
  path: string,
  status: number,
  body: unknown,
  headers?: IncomingHttpHeaders,
): void {
  const surface: SurfaceName | null = path.startsWith('/abilities/v1')
    ? 'abilities'
    : path.startsWith('/api/v2')
      ? 'v2'
      : null;
  if (!surface) return;
  const check = (checks[surface] ??= new ResponseChecker(withClosedData(readContract(surface)), true));
  const { operation, problem } = check.check(method, path, status, body);
  if (problem !== null) throw new Error(`${problem}\n${JSON.stringify(body)?.slice(0, 2000)}`);
  if (operation === null) return;
  if (status >= 400 && method !== 'HEAD') checkDetails(body as ErrorBody);
  if (headers && status === 200 && !['GET', 'HEAD'].includes(method)) checkEtag(surface, operation, headers);
  record(operation, status);
}
