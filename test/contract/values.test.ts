import assert from 'node:assert/strict';
import addFormats from 'ajv-formats';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { operationsOf, jsonPointerOf, type Contract } from '../../src/contract/index.ts';
import { readContract, type SurfaceName } from '../../src/surfaces/generated-files.ts';

interface ContractValue {
  place: string;
  schema: string;
  value: unknown;
}
type Fields = Record<string, unknown>;
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

/** Returns every schema of a document with its place, except inside examples and defaults. */
function* schemasOf(node: unknown, place = '', inSchema = false): Generator<{ place: string; schema: Fields }> {
  if (!isFields(node)) return;
  if (inSchema && !Array.isArray(node)) yield { place, schema: node };
  for (const [key, inner] of Object.entries(node)) {
    if (['example', 'examples', 'default', 'enum', 'const'].includes(key) || key.startsWith('x-')) continue;
    const here = place + jsonPointerOf(key);
    if (key === 'properties' && inSchema && isFields(inner))
      for (const [name, property] of Object.entries(inner))
        yield* schemasOf(property, here + jsonPointerOf(name), true);
    else if (key === 'schemas' && place === '/components' && isFields(inner))
      for (const [name, schema] of Object.entries(inner)) yield* schemasOf(schema, here + jsonPointerOf(name), true);
    else yield* schemasOf(inner, here, inSchema || key === 'schema');
  }
}

function defaultsOf(contract: Contract): ContractValue[] {
  return [...schemasOf(contract)].flatMap(({ place, schema }) =>
    'default' in schema ? [{ place, schema: place, value: schema['default'] }] : [],
  );
}

function schemaExamplesOf(contract: Contract): ContractValue[] {
  return [...schemasOf(contract)].flatMap(({ place, schema }) =>
    Array.isArray(schema['examples']) ? schema['examples'].map((value) => ({ place, schema: place, value })) : [],
  );
}

/** Returns the examples of requests and responses with the schema of their body, parameter or header. */
function* bodyExamplesOf(node: unknown, place = ''): Generator<ContractValue> {
  if (!isFields(node)) return;
  if ('example' in node && isFields(node['schema'])) yield { place, schema: `${place}/schema`, value: node['example'] };
  if (isFields(node['schema']) && isFields(node['examples']))
    for (const [name, { value }] of Object.entries(node['examples'] as Record<string, { value: unknown }>))
      yield { place: `${place}/examples/${name}`, schema: `${place}/schema`, value };
  for (const [key, inner] of Object.entries(node))
    if (key !== 'examples' && key !== 'example' && key !== 'schema')
      yield* bodyExamplesOf(inner, place + jsonPointerOf(key));
}

const hasExample = (media: object): boolean => 'example' in media || 'examples' in media;

function compiler(surface: SurfaceName): (pointer: string) => ValidateFunction {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(readContract(surface), surface);
  return (pointer) => ajv.compile({ $ref: `${surface}#${pointer.split('/').map(encodeURIComponent).join('/')}` });
}

for (const surface of ['abilities', 'v2'] as const)
  describe(`values in the contract of ${surface}`, () => {
    const contract = readContract(surface);
    const compile = compiler(surface);
    const check = (found: ContractValue[]): void => {
      assert.ok(found.length > 0, 'none was found');
      for (const { place, schema, value } of found) {
        const validate = compile(schema);
        assert.ok(validate(value), `${place}: ${JSON.stringify(value)} ${JSON.stringify(validate.errors)}`);
      }
    };

    it('when a schema has a default, then the default matches the schema', () => check(defaultsOf(contract)));

    it('when a field has an example, then the example matches the schema', () => check(schemaExamplesOf(contract)));

    it('when a request or response has an example, then the example matches the schema', () =>
      check([...bodyExamplesOf(contract)]));

    it('when a request or a success is described, then it has an example', () => {
      for (const { operation } of operationsOf(contract)) {
        const answers = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'));
        assert.equal(answers.length >= 1, true, operation.operationId);
        for (const [status, { content }] of answers)
          for (const media of Object.values(content ?? {}))
            assert.ok(hasExample(media), `${operation.operationId} ${status}`);
        for (const media of Object.values(operation.requestBody?.content ?? {}))
          assert.ok(hasExample(media), operation.operationId);
      }
    });
  });

describe('validation of defaults and examples', () => {
  it('when a default or an example does not match its schema, then it is reported', () => {
    const ajv = new Ajv2020({ strict: false });
    const document = {
      components: { schemas: { Page: { type: 'integer', minimum: 1, default: 0, examples: ['one'] } } },
      paths: {
        '/': { get: { responses: { 200: { content: { a: { schema: { type: 'integer' }, example: 'x' } } } } } },
      },
    };
    ajv.addSchema(document, 'planted');
    const found = [
      ...defaultsOf(document as unknown as Contract),
      ...schemaExamplesOf(document as unknown as Contract),
      ...bodyExamplesOf(document),
    ];
    assert.equal(found.length, 3);
    for (const { schema, value } of found) assert.equal(ajv.compile({ $ref: `planted#${schema}` })(value), false);
  });
});
