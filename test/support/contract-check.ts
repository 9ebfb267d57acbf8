import { appendFileSync } from 'node:fs';
import addFormats from 'ajv-formats';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import {
  baseOf,
  operationsOf,
  parameterCount,
  patternOf,
  pointerOf,
  withErrorCodes,
  withSelections,
  type Contract,
  type OperationPlace,
} from '../../src/contract/index.ts';
import { readSharedErrors } from '../../scripts/contract/shared.ts';
import { readContract, type SurfaceName } from '../../src/surfaces/generated.ts';

interface KnownOperation {
  id: string;
  path: string;
  verb: string;
  pattern: RegExp;
  parameters: number;
  /** Which schema each documented status answers with; null where there is no JSON body. */
  statuses: Map<number, string | null>;
}

/** Checks answers against the contract from the outside, refusals included, and remembers what was exercised. */
class SurfaceCheck {
  readonly #compile: (pointer: string) => ValidateFunction;
  readonly #operations: KnownOperation[];
  readonly #errorEnvelope: ValidateFunction;

  constructor(surface: SurfaceName) {
    const contract = withClosedData(withSelections(withErrorCodes(readContract(surface))));
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(ajv);
    ajv.addSchema(contract, surface);
    const compiled = new Map<string, ValidateFunction>();
    // An answer is compiled when it is first met: a file of tests meets few of the thousand that there are.
    this.#compile = (pointer) => {
      const known = compiled.get(pointer) ?? ajv.compile({ $ref: `${surface}#${pointer}` });
      compiled.set(pointer, known);
      return known;
    };
    this.#operations = operationsOf(contract).map((place) => ({
      id: place.operation.operationId,
      path: place.path,
      verb: place.verb.toUpperCase(),
      pattern: patternOf((baseOf(contract) + place.path).replace(/\/$/, '')),
      parameters: parameterCount(place.path),
      statuses: new Map(
        Object.keys(place.operation.responses).map((status) => [Number(status), answerPointer(place, status)]),
      ),
    }));
    this.#operations.sort((left, right) => left.parameters - right.parameters);
    this.#errorEnvelope = ajv.compile({
      type: 'object',
      additionalProperties: false,
      required: ['code', 'message', 'data'],
      properties: {
        code: { type: 'string', pattern: '^(svc|rest|ability)_[a-z_]+$' },
        message: { $ref: `${surface}#/components/schemas/ErrorMessage` },
        data: { $ref: `${surface}#/components/schemas/ErrorData` },
      },
    });
  }

  check(method: string, path: string, status: number, body: unknown): void {
    const verb = method === 'HEAD' ? 'GET' : method;
    // The path decides before the verb does, as in the service: one with a fixed part stands for itself.
    const place = this.#operations.find((each) => each.pattern.test(path))?.path;
    const operation = this.#operations.find((each) => each.verb === verb && each.path === place);
    if (!operation) {
      // No operation answers here, so all there can be is a refusal in the common envelope.
      if (status !== 204 && !this.#errorEnvelope(body))
        throw broken(`${method} ${path}`, status, body, this.#errorEnvelope.errors);
      return;
    }
    const pointer = operation.statuses.get(status);
    if (pointer === undefined)
      throw new Error(`${operation.id} answered ${status}, which the contract does not list: ${JSON.stringify(body)}`);
    if (pointer !== null && method !== 'HEAD') {
      const validate = this.#compile(pointer);
      if (!validate(body)) throw broken(operation.id, status, body, validate.errors);
      if (status >= 400) checkDetails(body as Refusal);
    }
    record(operation.id, status);
  }
}

interface Refusal {
  code: string;
  data: Record<string, unknown>;
}

const { table: codes } = readSharedErrors();

/** A refusal brings what the table of codes says of its code, and nothing else. */
function checkDetails({ code, data }: Refusal): void {
  const { data: always = [], data_at_times: atTimes = [] } = codes[code] ?? {};
  const missing = always.filter((field) => !(field in data));
  const others = Object.keys(data).filter((field) => field !== 'status' && ![...always, ...atTimes].includes(field));
  if (missing.length > 0 || others.length > 0)
    throw new Error(
      `The table of codes says otherwise of the data of ${code}: ` +
        `${missing.join(', ') || 'nothing'} is missing, ${others.join(', ') || 'nothing'} is not named there.`,
    );
}

/** Callers may meet further details of a refusal some day; what is told today is documented. */
function withClosedData(contract: Contract): Contract {
  const { ErrorData, ...schemas } = contract.components['schemas'] as Record<string, object>;
  const closed = { ...schemas, ErrorData: { ...ErrorData, additionalProperties: false } };
  return { ...contract, components: { ...contract.components, schemas: closed } };
}

/** Null for an answer without a JSON body. */
function answerPointer({ path, verb, operation }: OperationPlace, status: string): string | null {
  const answer = operation.responses[status];
  const at = answer?.$ref?.slice(1) ?? pointerOf('paths', path, verb, 'responses', status);
  return answer?.$ref || answer?.content?.['application/json']
    ? at + pointerOf('content', 'application/json', 'schema')
    : null;
}

function broken(operation: string, status: number, body: unknown, errors: unknown): Error {
  return new Error(
    `The answer of ${operation} (${status}) breaks the contract: ${JSON.stringify(errors, null, 1)}\n` +
      `${JSON.stringify(body)?.slice(0, 2000)}`,
  );
}

const checks: Partial<Record<SurfaceName, SurfaceCheck>> = {};
const recorded = new Set<string>();

function record(operation: string, status: number): void {
  const key = `${operation} ${status}`;
  if (recorded.has(key)) return;
  recorded.add(key);
  const file = process.env['CONTRACT_COVERAGE_FILE'];
  if (file) appendFileSync(file, `${key}\n`);
}

/** Throws when an answer is not one that the contract promises. */
export function checkAnswer(method: string, path: string, status: number, body: unknown): void {
  const surface: SurfaceName | null = path.startsWith('/abilities/v1')
    ? 'abilities'
    : path.startsWith('/api/v2')
      ? 'v2'
      : null;
  if (surface) (checks[surface] ??= new SurfaceCheck(surface)).check(method, path, status, body);
}
