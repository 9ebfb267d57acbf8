import { ERROR_CODES, SHARED_CODES } from '../../generated/error-codes.ts';
import {
  basePathOf,
  schemasOf,
  verbsOf,
  type Contract,
  type ContractResponse,
  type ContractOperation,
  type LocatedOperation,
  type Schema,
} from './contract.ts';
import { componentNameOf } from './references.ts';

/**
 * Group of operations that share error codes. `body` are POST, PUT and PATCH, `writes` are all verbs but GET, `module`
 * are the operations of modules.
 */
type SharedCodeScope = 'all' | 'abilities' | 'v2' | 'body' | 'writes' | 'module';

const STATUSES: Readonly<Record<string, { status: number }>> = ERROR_CODES;
const SHARED: Readonly<Record<string, Partial<Record<SharedCodeScope, readonly string[]>>>> = SHARED_CODES;
const ORDER = Object.keys(ERROR_CODES);

/**
 * Returns the error codes of an operation by status: those of `x-errors`, and those of its shared responses. Some codes
 * of a shared response only belong to a group of operations (`SharedCodeScope`).
 */
export function errorCodesOf(
  contract: Contract,
  { verb, operation }: Pick<LocatedOperation, 'verb' | 'operation'>,
): Map<string, string[]> {
  const kinds: Record<SharedCodeScope, boolean> = {
    all: true,
    abilities: basePathOf(contract).includes('/abilities/'),
    v2: !basePathOf(contract).includes('/abilities/'),
    body: verb === 'post' || verb === 'put' || verb === 'patch',
    writes: verb !== 'get',
    module: operation['x-module'] !== undefined,
  };
  const statuses = Object.keys(operation.responses).filter((status) => Number(status) >= 400);
  return new Map(
    statuses.map((status) => {
      const shared = Object.entries(SHARED[componentNameOf(operation.responses[status] ?? {}) ?? ''] ?? {});
      const codes = new Set([
        ...shared.flatMap(([kind, common]) => (kinds[kind as SharedCodeScope] ? common : [])),
        ...(operation['x-errors'] ?? []).filter((code) => String(STATUSES[code]?.status) === status),
      ]);
      return [status, [...codes].sort((one, other) => ORDER.indexOf(one) - ORDER.indexOf(other))];
    }),
  );
}

export const descriptionWithoutErrors = ({ description = '' }: { description?: string }): string =>
  description.replace(/(^|\n\n)Errors: \d{3} `[^\n]*$/, '');

/**
 * Returns a contract in which each error response allows only the codes of its operation. The published contract has
 * one schema for all errors, so that a generated client has one class for them.
 */
export function withErrorCodes<T extends Contract>(contract: T): T {
  const { ApiError: model } = schemasOf(contract);
  if (!model) return contract;
  const responses: Record<string, ContractResponse> = {};
  const narrowed = (name: string, codes: string[]): ContractResponse => {
    const key = `${name}_${codes.join('_')}`;
    responses[key] ??= {
      ...(contract.components['responses']?.[name] as ContractResponse),
      content: { 'application/json': { schema: errorSchemaWithCodes(model, codes) } },
    };
    return { $ref: `#/components/responses/${key}` };
  };
  const paths = Object.entries(contract.paths).map(([path, item]) => {
    const operations = verbsOf(item).map((verb) => {
      const operation = item[verb] as ContractOperation;
      const own = Object.fromEntries(
        [...errorCodesOf(contract, { verb, operation })].map(([status, codes]) => {
          const name = componentNameOf(operation.responses[status] ?? {});
          return [status, name === undefined ? operation.responses[status] : narrowed(name, codes)];
        }),
      );
      return [verb, { ...operation, responses: { ...operation.responses, ...own } }] as const;
    });
    return [path, { ...item, ...Object.fromEntries(operations) }] as const;
  });
  return { ...contract, paths: Object.fromEntries(paths), components: { ...contract.components, responses } };
}

const errorSchemaWithCodes = (model: Schema, codes: string[]): Schema => ({
  ...model,
  properties: { ...model.properties, code: { type: 'string', enum: codes } },
});
