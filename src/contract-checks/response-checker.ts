import addFormats from 'ajv-formats';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import {
  basePathOf,
  operationsOf,
  parameterCount,
  pathPatternOf,
  jsonPointerOf,
  selectsFields,
  withErrorCodes,
  withClosedEnums,
  withPartialRecords,
  type Contract,
  type LocatedOperation,
} from '../contract/index.ts';
import { bodyViolationsOf, type BodyViolation } from './body-violations.ts';

interface KnownOperation {
  id: string;
  path: string;
  verb: string;
  pattern: RegExp;
  parameters: number;
  /** JSON pointer to the response schema by documented status; null if the response has no JSON body. */
  statuses: Map<number, string | null>;
}

export interface CheckedResponse {
  /** Null if the contract has no operation for the request. */
  operation: string | null;
  problem: string | null;
  violations: BodyViolation[];
}

export class ResponseChecker {
  readonly #compile: (schemas: 'contract' | 'partial', pointer: string) => ValidateFunction;
  readonly #operations: KnownOperation[];
  readonly #errorEnvelope: ValidateFunction;

  /**
   * `isOurs` is true for the service of this repository. It sends only known values, so its extensible enums are
   * checked as closed.
   */
  constructor(served: Contract, isOurs = false) {
    const contract = withErrorCodes(isOurs ? withClosedEnums(served) : served);
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(ajv);
    ajv.addSchema(contract, 'contract');
    ajv.addSchema(withPartialRecords(contract), 'partial');
    const compiled = new Map<string, ValidateFunction>();
    // Schemas are compiled on first use, because a test file needs few of about a thousand.
    this.#compile = (schemas, pointer) => {
      const reference = `${schemas}#${pointer}`;
      const known = compiled.get(reference) ?? ajv.compile({ $ref: reference });
      compiled.set(reference, known);
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

  /** `target` is a path with its query. Records may be partial only if the query selects fields. */
  check(method: string, target: string, status: number, body: unknown): CheckedResponse {
    const [path = '', query = ''] = target.split('?', 2);
    const verb = method === 'HEAD' ? 'GET' : method;
    // Like the service, this finds the path first and then the verb. Paths with fewer parameters come first.
    const place = this.#operations.find((each) => each.pattern.test(path))?.path;
    const operation = this.#operations.find((each) => each.verb === verb && each.path === place);
    if (!operation) {
      // Without an operation, only an error in the common envelope is correct.
      if (status === 204 || this.#errorEnvelope(body)) return { operation: null, problem: null, violations: [] };
      const { errors } = this.#errorEnvelope;
      const problem = violationMessage(`${method} ${path}`, status, errors);
      return { operation: null, problem, violations: bodyViolationsOf(body, errors) };
    }
    const { id, statuses } = operation;
    const pointer = statuses.get(status);
    if (pointer === undefined) {
      const problem = `${id} answered ${status}, which the contract does not list: ${JSON.stringify(body)?.slice(0, 300)}`;
      return { operation: id, problem, violations: [] };
    }
    if (pointer === null || method === 'HEAD') return { operation: id, problem: null, violations: [] };
    const validate = this.#compile(selectsFields(query) ? 'partial' : 'contract', pointer);
    if (validate(body)) return { operation: id, problem: null, violations: [] };
    const problem = violationMessage(id, status, validate.errors);
    return { operation: id, problem, violations: bodyViolationsOf(body, validate.errors) };
  }
}

function responsePointer({ path, verb, operation }: LocatedOperation, status: string): string | null {
  const answer = operation.responses[status];
  const at = answer?.$ref?.slice(1) ?? jsonPointerOf('paths', path, verb, 'responses', status);
  return answer?.$ref || answer?.content?.['application/json']
    ? at + jsonPointerOf('content', 'application/json', 'schema')
    : null;
}

type Errors = ErrorObject[] | null | undefined;

function violationMessage(operation: string, status: number, errors: Errors): string {
  const places = (errors ?? []).map(({ instancePath, message, params }) =>
    [instancePath || 'the body', message, errorDetail(params)].filter(Boolean).join(' '),
  );
  return `The answer of ${operation} (${status}) breaks the contract: ${[...new Set(places)].join('; ')}`;
}

/** Returns the field name or the allowed values that the message of Ajv omits. */
const errorDetail = ({ additionalProperty, allowedValues }: Record<string, unknown>): string =>
  additionalProperty !== undefined
    ? `(${JSON.stringify(additionalProperty)})`
    : allowedValues !== undefined
      ? `(${JSON.stringify(allowedValues)})`
      : '';
