import addFormats from 'ajv-formats';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import {
  basePathOf,
  operationsOf,
  parameterCount,
  pathPatternOf,
  jsonPointerOf,
  withErrorCodes,
  withClosedEnums,
  withPartialRecords,
  type Contract,
  type LocatedOperation,
} from '../../src/contract/index.ts';

interface KnownOperation {
  id: string;
  path: string;
  verb: string;
  pattern: RegExp;
  parameters: number;
  /** Which schema each documented status answers with; null where there is no JSON body. */
  statuses: Map<number, string | null>;
}

/** What a contract says of an answer. */
export interface CheckedResponse {
  /** Null where no operation answers. */
  operation: string | null;
  /** Null for an answer that the contract promises. */
  problem: string | null;
}

/** Checks answers against a contract from the outside, refusals included. */
export class ResponseChecker {
  readonly #compile: (pointer: string) => ValidateFunction;
  readonly #operations: KnownOperation[];
  readonly #errorEnvelope: ValidateFunction;

  /** `isOurs` for the service of this checkout, which sends no values but those that it knows. */
  constructor(served: Contract, isOurs = false) {
    const contract = withPartialRecords(withErrorCodes(isOurs ? withClosedEnums(served) : served));
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(ajv);
    ajv.addSchema(contract, 'contract');
    const compiled = new Map<string, ValidateFunction>();
    // An answer is compiled when it is first met: a file of tests meets few of the thousand that there are.
    this.#compile = (pointer) => {
      const known = compiled.get(pointer) ?? ajv.compile({ $ref: `contract#${pointer}` });
      compiled.set(pointer, known);
      return known;
    };
    this.#operations = operationsOf(contract).map((place) => ({
      id: place.operation.operationId,
      path: place.path,
      verb: place.verb.toUpperCase(),
      pattern: pathPatternOf((basePathOf(contract) + place.path).replace(/\/$/, '')),
      parameters: parameterCount(place.path),
      statuses: new Map(
        Object.keys(place.operation.responses).map((status) => [Number(status), responsePointer(place, status)]),
      ),
    }));
    this.#operations.sort((left, right) => left.parameters - right.parameters);
    this.#errorEnvelope = ajv.compile({
      type: 'object',
      additionalProperties: false,
      required: ['code', 'message', 'data'],
      properties: {
        code: { type: 'string', pattern: '^(svc|rest|ability)_[a-z_]+$' },
        message: { $ref: 'contract#/components/schemas/ErrorMessage' },
        data: { $ref: 'contract#/components/schemas/ErrorData' },
      },
    });
  }

  check(method: string, path: string, status: number, body: unknown): CheckedResponse {
    const verb = method === 'HEAD' ? 'GET' : method;
    // The path decides before the verb does, as in the service: one with a fixed part stands for itself.
    const place = this.#operations.find((each) => each.pattern.test(path))?.path;
    const operation = this.#operations.find((each) => each.verb === verb && each.path === place);
    if (!operation) {
      // No operation answers here, so all there can be is a refusal in the common envelope.
      const isRefusal = status === 204 || this.#errorEnvelope(body);
      const problem = isRefusal
        ? null
        : violationMessage(`${method} ${path}`, status, body, this.#errorEnvelope.errors);
      return { operation: null, problem };
    }
    const { id, statuses } = operation;
    const pointer = statuses.get(status);
    if (pointer === undefined) {
      const problem = `${id} answered ${status}, which the contract does not list: ${JSON.stringify(body)?.slice(0, 2000)}`;
      return { operation: id, problem };
    }
    if (pointer === null || method === 'HEAD') return { operation: id, problem: null };
    const validate = this.#compile(pointer);
    return { operation: id, problem: validate(body) ? null : violationMessage(id, status, body, validate.errors) };
  }
}

/** Null for an answer without a JSON body. */
function responsePointer({ path, verb, operation }: LocatedOperation, status: string): string | null {
  const answer = operation.responses[status];
  const at = answer?.$ref?.slice(1) ?? jsonPointerOf('paths', path, verb, 'responses', status);
  return answer?.$ref || answer?.content?.['application/json']
    ? at + jsonPointerOf('content', 'application/json', 'schema')
    : null;
}

type Errors = ErrorObject[] | null | undefined;

function violationMessage(operation: string, status: number, body: unknown, errors: Errors): string {
  const places = (errors ?? []).map(({ instancePath, message, params }) =>
    [instancePath || 'the body', message, errorDetail(params)].filter(Boolean).join(' '),
  );
  return (
    `The answer of ${operation} (${status}) breaks the contract: ${[...new Set(places)].join('; ')}\n` +
    `${JSON.stringify(body)?.slice(0, 2000)}`
  );
}

/** The name or value that a message is about, where it does not say. */
const errorDetail = ({ additionalProperty, allowedValues }: Record<string, unknown>): string =>
  additionalProperty !== undefined
    ? `(${JSON.stringify(additionalProperty)})`
    : allowedValues !== undefined
      ? `(${JSON.stringify(allowedValues)})`
      : '';
