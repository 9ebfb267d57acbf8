import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Frequency } from '../../../src/domains/costs/index.ts';
import { costFrequencyOf, lastDue, nextDue, siteShareOf, costTotalsOf } from '../../../src/domains/costs/cost-rules.ts';
import { parseDay, parseIsoTime } from '../../../src/shared/calendar.ts';

describe('frequency of a cost', () => {
  it('when a cost is a subscription, then the frequency is its renewal, otherwise lifetime', () => {
    for (const renewalType of ['weekly', 'monthly', 'quarterly', 'yearly'] as const) {
      assert.equal(costFrequencyOf({ type: 'subscription', renewalType }), renewalType);
      assert.equal(costFrequencyOf({ type: 'lifetime', renewalType }), 'lifetime');
    }
    assert.equal(costFrequencyOf({ type: 'subscription', renewalType: 'disabled' }), 'lifetime');
  });
});

describe('share of a site', () => {
  const prices = fc.maxSafeNat().map((price) => price % 1_000_000_000_000_000);
  const sharesOf = (
    licenseType: 'single_site' | 'multi_site',
    priceUnits: number,
    sites: number,
    minorUnit = 1,
  ): number[] =>
    Array.from({ length: sites }, (_, before) =>
      siteShareOf({ licenseType, priceUnits }, { sites, before }, minorUnit),
    );

  it('when a cost is paid per site, then each share is the full price', () => {
    assert.deepEqual(sharesOf('single_site', 1000, 3), [1000, 1000, 1000]);
  });

  it('when a cost is paid once, then shares are equal and the remainder goes to the lowest IDs', () => {
    assert.deepEqual(sharesOf('multi_site', 1000, 3), [334, 333, 333]);
    assert.deepEqual(sharesOf('multi_site', 1001, 3), [334, 334, 333]);
    assert.deepEqual(sharesOf('multi_site', 2, 4), [1, 1, 0, 0]);
    assert.deepEqual(sharesOf('multi_site', 1000, 1), [1000]);
  });

  it('when a price has a fraction of a minor unit, then the fraction goes to the lowest ID', () => {
    assert.deepEqual(sharesOf('multi_site', 1004, 3, 100), [404, 300, 300]);
    assert.deepEqual(sharesOf('multi_site', 99, 3, 100), [99, 0, 0]);
  });

  it('when any price is divided, then the shares add up to the price and only the first has a fraction of a unit', () => {
    fc.assert(
      fc.property(prices, fc.integer({ min: 1, max: 300 }), fc.nat(6), (price, sites, digits) => {
        const minorUnit = 10 ** digits;
        const shares = sharesOf('multi_site', price, sites, minorUnit);
        assert.equal(
          shares.reduce((sum, share) => sum + share, 0),
          price,
        );
        const [first = 0, ...others] = shares;
        const whole = [first - (price % minorUnit), ...others];
        assert.ok(whole.every((share) => share % minorUnit === 0));
        assert.ok((whole[0] ?? 0) - (whole.at(-1) ?? 0) <= minorUnit);
      }),
    );
  });
});

describe('totals', () => {
  const of = (...entries: [number, Frequency][]): [number, number] => {
    const shares = entries.map(([amountUnits, frequency]) => ({ amountUnits, frequency }));
    const { monthlyUnits, yearlyUnits } = costTotalsOf(shares, 1);
    return [Number(monthlyUnits), Number(yearlyUnits)];
  };

  it('when prices of different periods are summed, then a year has 52 weeks, 12 months or 4 quarters, and lifetime is 0', () => {
    assert.deepEqual(of([1000, 'weekly']), [4333, 52_000]);
    assert.deepEqual(of([1000, 'monthly']), [1000, 12_000]);
    assert.deepEqual(of([1000, 'quarterly']), [333, 4000]);
    assert.deepEqual(of([1000, 'yearly']), [83, 1000]);
    assert.deepEqual(of([1000, 'lifetime']), [0, 0]);
    assert.deepEqual(of(), [0, 0]);
  });

  it('when the example of the contract is summed, then the totals equal those of the contract', () => {
    assert.deepEqual(of([2990, 'monthly'], [11_880, 'yearly']), [3980, 47_760]);
  });

  it('when sums contain fractions of a unit, then they are rounded once at the end', () => {
    // Three times 0.41666… is 1.25. Rounded one by one, the sum would be 1.26.
    assert.deepEqual(of([500, 'yearly'], [500, 'yearly'], [500, 'yearly']), [125, 1500]);
    // Half a cent is rounded up, and the yearly total stays exact.
    assert.deepEqual(of([6, 'yearly']), [1, 6]);
    assert.deepEqual(of([5, 'yearly']), [0, 5]);
  });
});

describe('totals in minor units', () => {
  it('when a month has a fraction of a minor unit, then it is rounded half up, and the year is exact', () => {
    const of = (amountUnits: number, minorUnit: number) => {
      const { monthlyUnits, yearlyUnits } = costTotalsOf([{ amountUnits, frequency: 'yearly' }], minorUnit);
      return [monthlyUnits, yearlyUnits];
    };
    assert.deepEqual(of(6_000_000, 1_000_000), [1_000_000n, 6_000_000n]);
    assert.deepEqual(of(5_999_999, 1_000_000), [0n, 5_999_999n]);
    assert.deepEqual(of(5_999_999, 1000), [500_000n, 5_999_999n]);
  });

  it('when a sum is larger than a safe integer, then it is exact', () => {
    const share = { amountUnits: 999_999_999_999_999, frequency: 'weekly' as const };
    const { yearlyUnits } = costTotalsOf(Array<typeof share>(10_000).fill(share), 10_000);
    assert.equal(yearlyUnits, 519_999_999_999_999_480_000n);
  });
});

describe('next due date of a cost', () => {
  const cases: [string, Frequency, string, string][] = [
    // Last renewal, frequency, today, next due date.
    ['2026-11-01', 'weekly', '2026-11-05', '2026-11-08'],
    ['2026-11-01', 'weekly', '2026-11-08', '2026-11-15'],
    ['2026-11-01', 'weekly', '2026-11-14', '2026-11-15'],
    ['2026-11-01', 'monthly', '2026-11-21', '2026-12-01'],
    ['2026-10-21', 'monthly', '2026-11-21', '2026-12-21'],
    ['2026-10-22', 'monthly', '2026-11-21', '2026-11-22'],
    ['2026-01-31', 'monthly', '2026-02-01', '2026-02-28'],
    ['2026-01-31', 'monthly', '2026-02-28', '2026-03-31'],
    ['2026-01-31', 'monthly', '2026-04-10', '2026-04-30'],
    ['2024-01-31', 'monthly', '2024-02-10', '2024-02-29'],
    ['2026-11-30', 'quarterly', '2026-12-15', '2027-02-28'],
    ['2026-01-15', 'quarterly', '2026-11-21', '2027-01-15'],
    ['2024-02-29', 'yearly', '2024-03-01', '2025-02-28'],
    ['2024-02-29', 'yearly', '2027-06-01', '2028-02-29'],
    ['2026-03-15', 'yearly', '2026-11-21', '2027-03-15'],
    ['1970-05-31', 'monthly', '2026-11-21', '2026-11-30'],
    // A payment in advance is not due again before its period ends.
    ['2027-01-10', 'monthly', '2026-11-21', '2027-02-10'],
    ['2027-01-10', 'weekly', '2026-11-21', '2027-01-17'],
  ];
  for (const [last, frequency, today, due] of cases)
    it(`when a cost is ${frequency}, its last renewal is ${last} and today is ${today}, then it is due on ${due}`, () =>
      assert.equal(nextDue(last, frequency, today), due));

  it('when a cost is never renewed or has no last renewal, then there is no due date', () => {
    assert.equal(nextDue('2026-11-01', 'lifetime', '2026-11-21'), null);
    assert.equal(nextDue(null, 'monthly', '2026-11-21'), null);
  });

  it('when the next period begins after the year 9999, then there is no due date', () => {
    assert.equal(nextDue('9999-12-31', 'monthly', '2026-11-21'), null);
    assert.equal(nextDue('9999-12-24', 'weekly', '2026-11-21'), '9999-12-31');
  });

  it('when any date is today, then the due date is after today and the last renewal, by at most one period', () => {
    const day = fc.date({ min: new Date('1990-01-01'), max: new Date('2060-12-31'), noInvalidDate: true });
    const text = day.map((date) => date.toISOString().slice(0, 10));
    const longest = { weekly: 7, monthly: 31, quarterly: 92, yearly: 366 };
    fc.assert(
      fc.property(text, text, fc.constantFrom('weekly', 'monthly', 'quarterly', 'yearly'), (last, today, frequency) => {
        const due = nextDue(last, frequency, today) ?? '';
        const from = last > today ? last : today;
        assert.ok(due > from);
        const days = (Date.parse(due) - Date.parse(from)) / 86_400_000;
        assert.ok(days <= longest[frequency], `${days} days`);
      }),
    );
  });
});

describe('last due date of a cost', () => {
  const cases: [string, string, Frequency, string | null][] = [
    // First renewal, last renewal, frequency, last due date. Today is 2026-11-21.
    ['2026-11-01', '2026-11-01', 'weekly', '2026-11-15'],
    ['2026-11-14', '2026-11-14', 'weekly', '2026-11-21'],
    ['2026-11-15', '2026-11-15', 'weekly', null],
    ['2026-08-31', '2026-08-31', 'monthly', '2026-10-31'],
    ['2026-08-31', '2026-10-31', 'monthly', null],
    ['2026-08-31', '2026-09-30', 'monthly', '2026-10-31'],
    ['2024-02-29', '2025-02-28', 'yearly', '2026-02-28'],
    ['2027-01-10', '2027-01-10', 'monthly', null],
    ['2026-01-10', '2026-01-10', 'lifetime', null],
    // 2,000 years are a whole number of weeks.
    ['0026-11-01', '0026-11-01', 'weekly', '2026-11-15'],
    ['9999-12-31', '9999-12-31', 'monthly', null],
  ];
  for (const [anchor, lastRenewal, frequency, due] of cases)
    it(`when a cost is ${frequency}, first renewed on ${anchor} and last on ${lastRenewal}, then it was due on ${due}`, () =>
      assert.equal(lastDue({ anchor, lastRenewal }, frequency, '2026-11-21'), due));

  it('when a cost was never renewed, then it was never due', () =>
    assert.equal(lastDue({ anchor: null, lastRenewal: null }, 'weekly', '2026-11-21'), null));

  it('when the last renewal is centuries ago, then the due date takes as many steps as usual', () => {
    const parse = Date.parse;
    const stepsFor = (day: string): number => {
      let steps = 0;
      Date.parse = (text) => (steps++, parse(text));
      try {
        lastDue({ anchor: day, lastRenewal: day }, 'weekly', '2026-11-21');
      } finally {
        Date.parse = parse;
      }
      return steps;
    };
    assert.ok(stepsFor('2026-11-10') > 0);
    assert.equal(stepsFor('0026-11-01'), stepsFor('2026-11-10'));
  });
});

describe('parseDay', () => {
  it('when a text is a calendar date in the contract format, then it is parsed, otherwise null', () => {
    assert.equal(parseDay('2026-11-21'), Date.UTC(2026, 10, 21));
    for (const text of ['2026-02-30', '2026-13-01', '2026-1-1', '21.11.2026', '2026-11-21T00:00:00Z', ''])
      assert.equal(parseDay(text), null, text);
  });
});

describe('parseMoment', () => {
  it('when a text is a day or a time in ISO 8601, then it is parsed; a day that does not exist is not', () => {
    const noon = Date.UTC(2026, 10, 21, 12);
    assert.equal(parseIsoTime('2026-11-21'), Date.UTC(2026, 10, 21));
    assert.equal(parseIsoTime('2028-02-29'), Date.UTC(2028, 1, 29));
    for (const text of [
      '2026-11-21T12:00',
      '2026-11-21T12:00:00',
      '2026-11-21T12:00:00.000Z',
      '2026-11-21T13:00+01:00',
    ])
      assert.equal(parseIsoTime(text), noon, text);
    for (const text of [
      '2026-02-30',
      '2026-02-30T12:00:00Z',
      '2027-02-29T12:00',
      '2026-11-21T25:00Z',
      '21.11.2026',
      '',
    ])
      assert.equal(parseIsoTime(text), null, text);
  });
});
