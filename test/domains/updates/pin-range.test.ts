import assert from 'node:assert/strict';
import { isInPinRange, normalizePinRange } from '../../../src/domains/updates/index.ts';

describe('ranges of pins', () => {
  for (const [range, stored] of [
    ['3.10.2.1', '3.10.2.1'],
    [' 3.X ', '3.x'],
    ['2024.1.*', '2024.1.x'],
    ['< 4.0-beta', '<4.0-beta'],
    ['<=9', '<=9'],
    ['v1.2-Pro', 'v1.2-Pro'],
    ['1.x10', '1.x10'],
    ['*', null],
    ['x', null],
    ['3.x.1', null],
    ['3.x-x', null],
    ['<=3.x', null],
    ['>3', null],
    ['^3.1', null],
    ['3 4', null],
    ['', null],
    [`1.${'0'.repeat(63)}`, null],
  ] as const)
    it(`when the range is "${range}", then it is ${stored === null ? 'invalid' : `stored as ${stored}`}`, () => {
      assert.equal(normalizePinRange(range), stored);
    });

  it('when a site does not name the offered version, then it is outside of every range', () => {
    for (const range of ['1.0', '1.x', '<2', '<=2'])
      for (const version of ['', ' ', '.', '-'])
        assert.equal(isInPinRange(range, version), false, `${range} ${version}`);
  });
});
