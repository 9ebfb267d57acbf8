import assert from 'node:assert/strict';
import { createRunFinder, nextRun, dailyCronPattern } from '../../../src/domains/schedules/cron-timing.ts';

function runs(pattern: string, timeZone: string, after: string, count: number): string[] {
  const found: string[] = [];
  for (let at: number | null = Date.parse(after); at !== null && found.length < count;) {
    at = nextRun({ pattern, timeZone }, at);
    if (at !== null) found.push(new Date(at).toISOString().slice(0, 16));
  }
  return found;
}

describe('run times of a timing', () => {
  it('when the clock skips the time of a run, then the day still has one run', () => {
    assert.deepEqual(runs('30 2 * * *', 'Europe/Berlin', '2027-03-27T00:00:00Z', 3), [
      '2027-03-27T01:30',
      '2027-03-28T01:00',
      '2027-03-29T00:30',
    ]);
  });

  it('when the clock repeats the time of a run, then the day has one run', () => {
    assert.deepEqual(runs('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', 2), [
      '2026-10-25T00:30',
      '2026-10-26T01:30',
    ]);
  });

  for (const [timeZone, first] of [
    ['UTC', '2026-11-22T06:30'],
    ['UTC+2', '2026-11-22T04:30'],
    ['UTC-3:30', '2026-11-22T10:00'],
    ['UTC+5:45', '2026-11-22T00:45'],
    ['Asia/Kolkata', '2026-11-22T01:00'],
  ] as const)
    it(`when the time zone is ${timeZone}, then 6:30 is ${first} UTC`, () => {
      assert.deepEqual(runs('30 6 * * *', timeZone, '2026-11-22T00:00:00Z', 1), [first]);
    });

  it('when the runs after many times are needed, then they are the same as one by one, in any order', () => {
    for (const timeZone of ['UTC', 'Europe/Berlin', 'UTC-3:30']) {
      const timing = { pattern: '40 3 * * *', timeZone };
      const from = Date.parse('2027-03-20T03:40:00Z');
      const runAfter = createRunFinder(timing, from);
      for (const hours of [700, 0, 23, 24, 24.5, 180, 191.999, 192, 3])
        for (const time of [from + hours * 3_600_000, from + hours * 3_600_000 + 1])
          assert.equal(runAfter(time), nextRun(timing, time), `${timeZone} ${hours}`);
    }
    assert.equal(createRunFinder({ pattern: '40 3 * * *', timeZone: 'Nowhere/None' }, 0)(5), null);
  });

  it('when the time zone is unknown, then there are no runs', () => {
    assert.deepEqual(runs('30 6 * * *', 'Nowhere/Land', '2026-11-22T00:00:00Z', 1), []);
  });
});

describe('cron pattern of times of day', () => {
  for (const [first, times, pattern] of [
    ['6:30', 1, '30 6 * * *'],
    ['6:30', 2, '30 6,18 * * *'],
    ['22:05', 3, '5 6,14,22 * * *'],
    ['0:00', 5, '0 0,4,9,14,19 * * *'],
    ['00:00', 12, '0 0,2,4,6,8,10,12,14,16,18,20,22 * * *'],
  ] as const)
    it(`when there are ${times} runs from ${first} on, then the pattern is ${pattern}`, () => {
      assert.equal(dailyCronPattern(first, times), pattern);
    });
});
