import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  bucketPeriodAt,
  RECURRENCES,
  bucketBalanceOf,
  type DebitedTime,
} from '../../../src/domains/time-tracker/bucket.ts';
import {
  priceOfDuration,
  isPrice,
  amountToNumber,
  fromPriceUnits,
  toPriceUnits,
  roundedSeconds,
} from '../../../src/domains/time-tracker/price.ts';
import { DAY, toDate } from '../../../src/shared/clock.ts';

const anyDay = fc.integer({ min: 10_000, max: 25_000 }).map((days) => toDate(days * DAY));
const anyRecurrence = fc.constantFrom(...RECURRENCES.filter((each) => each !== 'none'));
const dayAfter = (day: string): string => toDate(Date.parse(day) + DAY);

describe('bucket periods', () => {
  it('when any date is given, then it is in one period, and the next period starts the day after its end', () => {
    fc.assert(
      fc.property(anyRecurrence, anyDay, anyDay, (recurrence, anchorDay, day) => {
        const period = bucketPeriodAt({ recurrence, anchorDay }, day) ?? assert.fail();
        assert.ok(period.start <= day && day <= period.end);
        for (const within of [period.start, period.end])
          assert.deepEqual(bucketPeriodAt({ recurrence, anchorDay }, within), period);
        assert.equal(bucketPeriodAt({ recurrence, anchorDay }, dayAfter(period.end))?.start, dayAfter(period.end));
      }),
    );
  });

  it('when a period starts on the 31st, then it starts on the last day of shorter months', () => {
    const monthly = { recurrence: 'monthly', anchorDay: '2026-01-31' } as const;
    assert.deepEqual(bucketPeriodAt(monthly, '2026-02-15'), { start: '2026-01-31', end: '2026-02-27' });
    assert.deepEqual(bucketPeriodAt(monthly, '2026-02-28'), { start: '2026-02-28', end: '2026-03-30' });
    assert.deepEqual(bucketPeriodAt(monthly, '2025-12-30'), { start: '2025-11-30', end: '2025-12-30' });
    assert.equal(bucketPeriodAt({ ...monthly, recurrence: 'none' }, '2026-02-28'), null);
  });

  it('when time is used over years, then the carry-over equals a computation period by period', () => {
    const usages = fc.array(fc.record({ days: fc.nat({ max: 400 }), seconds: fc.nat({ max: 50_000 }) }));
    fc.assert(
      fc.property(usages, fc.nat({ max: 400 }), (entries, todayAfter) => {
        const first = Date.parse('2026-01-05T00:00:00Z');
        const usage = entries.map(({ days, seconds }): DebitedTime => ({
          clientId: 1,
          day: toDate(first + days * DAY),
          seconds,
        }));
        const rules = { seconds: 36_000, recurrence: 'weekly', anchorDay: '2026-01-05', carryOver: true } as const;
        const bucket = { ...rules, carriedSeconds: 0, carriedDay: '2026-01-05', archived: false };
        let carried = 0;
        const week = Math.floor(todayAfter / 7);
        const usedIn = (index: number): number =>
          entries.filter(({ days }) => Math.floor(days / 7) === index).reduce((sum, { seconds }) => sum + seconds, 0);
        for (let index = 0; index < week; index++) carried = Math.max(0, carried + 36_000 - usedIn(index));
        const standing = bucketBalanceOf(bucket, usage, toDate(first + todayAfter * DAY));
        assert.deepEqual([standing.carriedSeconds, standing.usedSeconds], [carried, usedIn(week)]);
      }),
    );
  });
});

describe('prices of time', () => {
  it('when a price is stored and read, then it is the same number', () => {
    const units = fc.integer({ min: 0, max: 9_000_000_000_000 });
    fc.assert(fc.property(units, (each) => assert.equal(toPriceUnits(fromPriceUnits(each)), each)));
    assert.deepEqual(
      [isPrice(0.00000001), isPrice(0.000000001), isPrice(-1), isPrice(90_000_001)],
      [true, false, false, false],
    );
  });

  it('when an amount ends in half a unit, then it is rounded up for any number of decimals', () => {
    const total = (seconds: number, price: number, decimals: number): number =>
      amountToNumber(priceOfDuration(seconds, toPriceUnits(price), decimals));
    assert.deepEqual([total(1800, 0.01, 2), total(1799, 0.01, 2), total(3600, 0.5, 0)], [0.01, 0, 1]);
    assert.equal(total(1, 0.000036, 8), 0.00000001);
    assert.equal(total(36_000_000, 90_000_000, 2), 900_000_000_000);
    assert.equal(total(36_000_000, 90_000_000, 8), 900_000_000_000, 'with as many decimals as a number holds');
  });

  it('when time is rounded, then unit and direction follow the settings', () => {
    const rounded = (seconds: number) =>
      (['nearest', 'up', 'down'] as const).map((mode) => roundedSeconds(seconds, { mode, minutes: 6 }));
    assert.deepEqual(rounded(179), [0, 360, 0]);
    assert.deepEqual(rounded(180), [360, 360, 0]);
    assert.deepEqual(rounded(360), [360, 360, 360]);
    assert.deepEqual(rounded(0), [0, 0, 0]);
    assert.equal(roundedSeconds(61, null), 61);
  });
});
