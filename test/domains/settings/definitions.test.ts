import assert from 'node:assert/strict';
import {
  replaceInvalidByDefaults,
  applyPatch,
  type SchemaWithDefault,
  type ValueSchema,
} from '../../../src/domains/settings/setting-definitions.ts';

const day = { kind: 'integer', minimum: 0, maximum: 6 } as const;
const CASES: [shape: ValueSchema, fitting: unknown[], refused: unknown[]][] = [
  [{ kind: 'flag' }, [0, 1], [true, '1', 2]],
  [{ kind: 'choice', values: ['slow', 2] }, ['slow', 2], ['2', 'fast']],
  [{ kind: 'text', maxLength: 2 }, ['', 'ab', '😀😀'], ['abc', 1]],
  [{ kind: 'text', maxLength: 9, pattern: '^\\d+$' }, ['12'], ['', 'a']],
  [{ kind: 'list', maxItems: 2, of: day }, [[], [0, 6]], [[7], [1, 2, 3], 1]],
];
const night: SchemaWithDefault = {
  kind: 'object',
  fields: { day: { ...day, default: 2 }, days: { kind: 'list', maxItems: 2, of: day, default: [] } },
  default: { day: 2, days: [] },
};
const before = { day: 5, days: [1] };

describe('type of a setting', () => {
  for (const [shape, fitting, refused] of CASES)
    it(`when the type is ${JSON.stringify(shape)}, then only values of that type are accepted`, () => {
      const preset = { ...shape, default: 'preset' };
      for (const value of fitting) assert.deepEqual(applyPatch(preset, value, 'before'), { value });
      for (const value of refused) {
        assert.ok('problems' in applyPatch(preset, value, 'before'), JSON.stringify(value));
        assert.equal(replaceInvalidByDefaults(preset, value), 'preset');
      }
      assert.deepEqual(applyPatch(preset, null, 'before'), { value: 'preset' });
    });

  it('when some fields of an object are sent, then the others stay and null restores a default', () => {
    assert.deepEqual(applyPatch(night, { day: 3 }, before), { value: { day: 3, days: [1] } });
    assert.deepEqual(applyPatch(night, { days: null }, before), { value: { day: 5, days: [] } });
    assert.deepEqual(applyPatch(night, null, before), { value: { day: 2, days: [] } });
  });

  it('when fields are invalid or unknown, then the error names the path of each', () => {
    assert.deepEqual(applyPatch(night, { days: [1, 7], day: 9, month: 2 }, before), {
      problems: [
        { path: 'month', message: 'is not a known field' },
        { path: 'day', message: 'must be a whole number from 0 to 6' },
        { path: 'days.1', message: 'must be a whole number from 0 to 6' },
      ],
    });
    assert.deepEqual(applyPatch(night, [], before), { problems: [{ path: '', message: 'must be an object' }] });
  });

  it('when a stored object is invalid in parts, then defaults replace those parts', () => {
    assert.deepEqual(replaceInvalidByDefaults(night, { day: 4, days: 'x', old: 1 }), { day: 4, days: [] });
    assert.deepEqual(replaceInvalidByDefaults(night, 7), { day: 2, days: [] });
  });
});
