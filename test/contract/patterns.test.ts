import assert from 'node:assert/strict';
import { SURFACES } from '../../src/contract/surfaces.ts';
import { readContract } from '../../src/surfaces/generated-files.ts';

/** Escapes that the regular expressions of Ruby, PHP, Go or Python do not compile, and characters outside ASCII. */
const FOREIGN = /\\u|\\p|\\c|\\x(?![0-7][0-9a-f])|[^ -~]/i;

function* patternsOf(node: unknown): Generator<string> {
  if (typeof node !== 'object' || node === null) return;
  for (const [key, value] of Object.entries(node)) {
    if (key === 'pattern' && typeof value === 'string') yield value;
    else if (!key.startsWith('example')) yield* patternsOf(value);
  }
}

describe('patterns of the contract', () => {
  for (const surface of SURFACES)
    it(`when a client of ${surface} is generated, then its language compiles every pattern`, () => {
      const patterns = [...patternsOf(readContract(surface))];
      assert.notEqual(patterns.length, 0);
      assert.deepEqual(
        patterns.filter((pattern) => FOREIGN.test(pattern)),
        [],
      );
    });
});
