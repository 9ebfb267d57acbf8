import assert from 'node:assert/strict';
import { check, type Shape } from '../../../src/domains/settings/definitions.ts';

const day: Shape = { kind: 'integer', minimum: 0, maximum: 6 };
const CASES: [shape: Shape, fitting: unknown[], refused: unknown[]][] = [
  [{ kind: 'choice', values: ['slow', 2] }, ['slow', 2], ['2', 'fast', null]],
  [{ kind: 'text', maxLength: 2 }, ['', 'ab', '😀😀'], ['abc', 1]],
  [{ kind: 'text', maxLength: 9, pattern: '^\\d+$' }, ['12'], ['', 'a']],
  [{ kind: 'list', maxItems: 2, of: day }, [[], [0, 6]], [[7], [1, 2, 3], 1]],
  [{ kind: 'object', fields: { day } }, [{ day: 3 }], [{}, { day: 9 }, { day: 1, month: 2 }, [], null]],
];

describe('the shape of a setting', () => {
  for (const [shape, fitting, refused] of CASES)
    it(`when it is ${JSON.stringify(shape)}, then it takes what fits and nothing else`, () => {
      for (const value of fitting) assert.deepEqual(check(shape, value), { value });
      for (const value of refused) assert.ok('problem' in check(shape, value), JSON.stringify(value));
    });

  it('when a part does not fit, then it is named', () => {
    const shape: Shape = { kind: 'object', fields: { days: { kind: 'list', maxItems: 2, of: day } } };
    assert.deepEqual(check(shape, { days: [1, 7] }), { problem: 'days 1 must be a whole number from 0 to 6' });
  });

  it('when flags are spelled in any way, then they are read, inside others as well', () => {
    const shape: Shape = { kind: 'object', fields: { notes: { kind: 'flag' } } };
    assert.deepEqual(check(shape, { notes: true }), { value: { notes: 1 } });
  });
});
