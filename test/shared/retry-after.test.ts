import assert from 'node:assert/strict';
import { parseRetryAfter } from '../../src/shared/retry-after.ts';

const NOW = Date.parse('2026-11-22T08:00:00Z');
const DAY = 86_400_000;

describe('Retry-After', () => {
  for (const [title, header, expected] of [
    ['is a number of seconds', '30', 30_000],
    ['is zero', '0', 0],
    ['has blanks around it', ' 30\t', 30_000],
    ['is a date', 'Sun, 22 Nov 2026 08:00:30 GMT', 30_000],
    ['is a date of RFC 850', 'Sunday, 22-Nov-26 08:00:30 GMT', 30_000],
    ['is a date of asctime, which is UTC', 'Sun Nov 22 08:00:30 2026', 30_000],
    ['is a date of asctime with a one-digit day', 'Tue Dec  1 08:00:00 2026', DAY],
    ['is a date in the past', 'Sun, 22 Nov 2026 07:00:00 GMT', 0],
    ['is over a day', '86401', DAY],
    ['is a date over a day ahead', 'Thu, 31 Dec 2099 08:00:00 GMT', DAY],
    ['has too many digits for a number', '9'.repeat(400), DAY],
    ['is negative', '-5', null],
    ['is a fraction', '1.5', null],
    ['is a power', '1e3', null],
    ['is infinite', 'Infinity', null],
    ['is a word', 'soon', null],
    ['is empty', '', null],
    ['is a year', '2026-11-22', null],
    ['is a date that does not exist', 'Sun, 99 Nov 2026 08:00:30 GMT', null],
    ['is a date with text after it', 'Sun, 22 Nov 2026 08:00:30 GMT, 5', null],
    ['is missing', undefined, null],
    ['is there twice', ['30', '60'], null],
  ] as [string, string | string[] | undefined, number | null][])
    it(`when it ${title}, then the wait is ${expected === null ? 'unknown' : `${expected} ms`}`, () =>
      assert.equal(parseRetryAfter(header, NOW), expected));
});
