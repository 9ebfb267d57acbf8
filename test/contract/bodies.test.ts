import assert from 'node:assert/strict';
import { deref, jsonMediaOf, operationsOf, type Schema } from '../../src/contract/index.ts';
import { readContract } from '../../src/surfaces/generated-files.ts';
import { startWorld, type World } from '../support/world.ts';

// Runs on SQLite only: the test compares responses with the contract.

interface Malformed {
  what: string;
  input: Record<string, unknown>;
  path: string;
}

const contract = readContract('abilities');
const KINDS: [type: string, value: unknown][] = [
  ['integer', 1.5],
  ['number', 'text'],
  ['string', { an: 'object' }],
  ['boolean', 'true'],
  ['array', 'text'],
  ['object', 'text'],
];

/** Returns a valid value of the schema. It is used for the fields next to the field under test. */
function validExample(given: Schema): unknown {
  const schema = deref(contract, given);
  const examples = schema['examples'];
  if (Array.isArray(examples)) return examples[0] as unknown;
  if (Array.isArray(schema['enum'])) return (schema['enum'] as unknown[])[0];
  const types = [schema.type].flat();
  return types.includes('boolean') ? true : types.includes('array') ? [] : types.includes('integer') ? 1 : 'a';
}

/** Returns a value whose type the schema does not allow. */
function invalidExample(given: Schema): unknown {
  const { type, anyOf = [] } = deref(contract, given);
  const types = [type ?? anyOf.map((each) => each.type)].flat(2);
  const [, value] = KINDS.find(([type]) => types[0] === type) ?? assert.fail(`no value for ${JSON.stringify(types)}`);
  return types.includes('string') ? { an: 'object' } : value;
}

function malformedOf(input: Schema): Malformed[] {
  const properties = Object.entries(input.properties ?? {});
  const valid = Object.fromEntries(
    properties.filter(([name]) => input.required?.includes(name)).map(([name, schema]) => [name, validExample(schema)]),
  );
  const without = (name: string): Record<string, unknown> =>
    Object.fromEntries(Object.entries(valid).filter(([other]) => other !== name));
  return [
    { what: 'an unknown property', input: { ...valid, not_a_field: 1 }, path: 'input.not_a_field' },
    ...properties.map(([name, schema]) => ({
      what: `${name} of a wrong type`,
      input: { ...valid, [name]: invalidExample(schema) },
      path: `input.${name}`,
    })),
    ...(input.required ?? []).map((name) => ({ what: `no ${name}`, input: without(name), path: `input.${name}` })),
  ];
}

describe('malformed bodies of abilities', () => {
  let world: World;
  before(async () => (world = await startWorld()));
  after(() => world.close());

  for (const { path, item, verb, operation, id } of operationsOf(contract)) {
    if (!item['x-ability'] || verb !== 'post') continue;
    const body = jsonMediaOf(operation.requestBody)?.schema ?? {};
    const input = deref(contract, deref(contract, body).properties?.['input'] ?? {});
    it(`when ${id} gets a malformed body, then the error names the path of the field`, async () => {
      const cases = malformedOf(input);
      assert.ok(cases.length >= 1);
      for (const { what, input: given, path: wrong } of cases) {
        const { body: refused } = await world.request('POST', `/abilities/v1${path}`, {
          body: { input: given },
          expect: 400,
        });
        assert.equal(refused.code, 'ability_invalid_input', what);
        const paths = (refused.data.errors as { path: string }[]).map((error) => error.path);
        assert.deepEqual([...new Set(paths)], [wrong], what);
      }
      const beside = await world.request('POST', `/abilities/v1${path}`, { body: { beside: 1 }, expect: 400 });
      assert.ok((beside.body.data.errors as { path: string }[]).some((error) => error.path === 'beside'));
    });
  }
});
