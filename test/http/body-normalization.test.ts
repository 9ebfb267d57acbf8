import assert from 'node:assert/strict';
import type { Contract, ContractOperation } from '../../src/contract/index.ts';
import { bodyNormalizerOf } from '../../src/http/body-normalization.ts';

const contract = {
  paths: {},
  components: {
    schemas: { Minutes: { type: 'integer', 'x-duration': 'minutes' }, Follows: { type: 'string', enum: ['follows'] } },
  },
} as unknown as Contract;

const properties = {
  minutes: { $ref: '#/components/schemas/Minutes' },
  own: { anyOf: [{ $ref: '#/components/schemas/Minutes' }, { $ref: '#/components/schemas/Follows' }] },
  seconds: { type: 'integer', 'x-duration': 'seconds' },
  method: { type: 'string', 'x-aliases': { push: 'put' } },
};
const operation = {
  requestBody: { content: { 'application/json': { schema: { type: 'object', properties } } } },
} as unknown as ContractOperation;

function normalizeBody(body: Record<string, unknown>): Record<string, unknown> {
  bodyNormalizerOf(contract, operation)?.(body);
  return body;
}

describe('body normalization', () => {
  it('when a duration is a label, then it becomes a number of its unit, and other text stays', () => {
    for (const [label, minutes] of [
      ['5m', 5],
      ['15min', 15],
      ['24h', 1440],
      ['120s', 2],
      ['No limit', 0],
      ['90s', '90s'],
      ['h', 'h'],
      ['-5m', '-5m'],
      ['5 m', '5 m'],
      ['1e3m', '1e3m'],
      [7, 7],
      [null, null],
    ])
      assert.deepEqual(normalizeBody({ minutes: label }), { minutes }, String(label));
    assert.deepEqual(normalizeBody({ seconds: '90s' }), { seconds: 90 });
    assert.deepEqual(normalizeBody({ seconds: '60min' }), { seconds: 3600 });
  });

  it('when a field accepts durations and words, then a word stays', () => {
    assert.deepEqual(normalizeBody({ own: '2h' }), { own: 120 });
    assert.deepEqual(normalizeBody({ own: 'follows' }), { own: 'follows' });
  });

  it('when a value has a synonym, then it becomes the value of the contract, and inherited properties are ignored', () => {
    assert.deepEqual(normalizeBody({ method: 'push' }), { method: 'put' });
    assert.deepEqual(normalizeBody({ method: 'toString' }), { method: 'toString' });
    assert.deepEqual(normalizeBody({}), {});
  });
});
