import assert from 'node:assert/strict';
import { retryDelayOf } from '../../../src/domains/api-backups/provider-client.ts';

const NOW = Date.parse('2026-11-22T08:00:00Z');

describe('delay after a status 429', () => {
  for (const [title, header, attempt, expected] of [
    ['seconds', '30', 3, 30_000],
    ['a date', 'Sun, 22 Nov 2026 08:00:30 GMT', 3, 30_000],
    ['a date in the past', 'Sun, 22 Nov 2026 07:00:00 GMT', 1, 0],
  ] as const)
    it(`when Retry-After is ${title}, then the delay is ${expected} ms`, () =>
      assert.equal(retryDelayOf(header, attempt, NOW), expected));

  it('when Retry-After is missing or invalid, then the delay doubles with each attempt', () => {
    for (const header of [undefined, 'soon', '-5', ''])
      assert.deepEqual(
        [1, 2, 3, 4, 5, 6].map((attempt) => retryDelayOf(header, attempt, NOW)),
        [1_000, 2_000, 4_000, 8_000, 16_000, 32_000],
        header,
      );
  });
});
