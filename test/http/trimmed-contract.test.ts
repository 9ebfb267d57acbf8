import assert from 'node:assert/strict';
import addFormats from 'ajv-formats';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import {
  deref,
  operationsOf,
  sliceContract,
  type Contract,
  type LocatedOperation,
  type Schema,
} from '../../src/contract/index.ts';
import { trimContractForRequests } from '../../src/http/contract-trimming.ts';
import { readContract } from '../../src/surfaces/generated-files.ts';
import { mutatedValue, validValue } from '../fuzz/schemas.ts';

const escaped = (name: string): string => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));

/** Returns the schemas that validate a request of an operation, with their place. */
function requestSchemas(contract: Contract, { path, verb, item, operation }: LocatedOperation): [string, Schema][] {
  const at = `/paths/${escaped(path)}`;
  const parameters = [
    ...(item.parameters ?? []).map((given, index) => [`${at}/parameters/${index}`, given] as const),
    ...(operation.parameters ?? []).map((given, index) => [`${at}/${verb}/parameters/${index}`, given] as const),
  ];
  return [
    ...parameters.map(([place, given]): [string, Schema] => [
      `${given.$ref?.slice(1) ?? place}/schema`,
      deref(contract, given).schema ?? {},
    ]),
    ...Object.entries(operation.requestBody?.content ?? {}).map(([type, { schema }]): [string, Schema] => [
      `${at}/${verb}/requestBody/content/${escaped(type)}/schema`,
      schema,
    ]),
  ];
}

/** Returns a function that compiles the schema at a place. The documents are slices of one contract. */
function compilerOf(documents: readonly Contract[]): (place: string, path: string) => ValidateFunction {
  const compilers = documents.map((document) => {
    const ajv = new Ajv2020({ strict: false, allErrors: true, useDefaults: true });
    addFormats.default(ajv);
    ajv.addSchema(document, 'contract');
    return { ajv, paths: document.paths };
  });
  return (place, path) => {
    const found = compilers.find(({ paths }) => path in paths) ?? assert.fail(path);
    return found.ajv.compile({ $ref: `contract#${place}` });
  };
}

interface Verdict {
  valid: boolean;
  errors: (string | undefined)[];
  value: unknown;
}

function verdictOf(validate: ValidateFunction, given: unknown): Verdict {
  const value: unknown = structuredClone(given);
  const found = validate(value);
  const errors = (validate.errors ?? []).map(
    ({ instancePath, message, params }: ErrorObject) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
  return { valid: found, errors: errors.sort(), value };
}

/** Returns each property of the schema alone, so that each is tested whatever the random values are. */
const singles = (contract: Contract, schema: Schema): unknown[] => {
  const { properties = {} } = deref(contract, schema);
  const inner = properties['input'] ? singles(contract, properties['input']) : [];
  return [...inner.map((input) => ({ input })), ...Object.keys(properties).map((name) => ({ [name]: 'a' }))];
};

for (const surface of ['abilities', 'v2'] as const)
  describe(`contract of ${surface}, trimmed for request validation`, () => {
    it('when a request is validated, then the result equals that of the whole contract', () => {
      const whole = readContract(surface);
      const ofWhole = compilerOf([whole]);
      const ofCut = compilerOf(sliceContract(trimContractForRequests(whole)));
      const seen = { schemas: 0, accepted: 0, refused: 0 };
      for (const place of operationsOf(whole))
        for (const [at, schema] of requestSchemas(whole, place)) {
          const judges = [ofWhole(at, place.path), ofCut(at, place.path)] as const;
          const fitting = validValue(whole, schema, {});
          const values = [
            ...fc.sample(fitting, { numRuns: 6, seed: 1 }),
            ...fc.sample(mutatedValue(fitting), { numRuns: 6, seed: 2 }),
            ...singles(whole, schema),
          ];
          for (const value of values) {
            const [expected, found] = judges.map((judge) => verdictOf(judge, value));
            assert.deepEqual(found, expected, `${place.operation.operationId} ${at} ${JSON.stringify(value)}`);
            seen[expected?.valid ? 'accepted' : 'refused']++;
          }
          seen.schemas++;
        }
      assert.ok(seen.schemas > 50 && seen.accepted > 300 && seen.refused > 300, JSON.stringify(seen));
    });

    it('when the contract is trimmed, then it has less than half the size and no summaries', () => {
      const whole = readContract(surface);
      const cut = trimContractForRequests(whole);
      assert.ok(JSON.stringify(cut).length < JSON.stringify(whole).length / 2);
      assert.equal(JSON.stringify(operationsOf(cut)).includes('"summary"'), false);
    });
  });
