import assert from 'node:assert/strict';
import { lastDue, nextDue, lastCompletePeriod } from '../../../src/domains/report-schedules/recurrence-times.ts';

const at = (text: string): number => Date.parse(text);
const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString().slice(0, 16));

describe('due time of a report', () => {
  const weekly = { frequency: 'weekly', day: 7, time: '02:30' } as const;
  const monthly = { frequency: 'monthly', day: 28, time: '08:00' } as const;

  it('when a report is weekly, then day 7 is Sunday and day 1 is Monday in the time zone', () => {
    assert.equal(iso(nextDue(weekly, 'Europe/Berlin', at('2026-11-16T12:00:00Z'))), '2026-11-22T01:30');
    assert.equal(iso(nextDue({ ...weekly, day: 1 }, 'UTC+9', at('2026-11-16T12:00:00Z'))), '2026-11-22T17:30');
  });

  it('when the clock skips the hour of a report, then the report is due once that day', () => {
    const first = nextDue(weekly, 'Europe/Berlin', at('2026-03-28T12:00:00Z'));
    assert.equal(iso(first), '2026-03-29T01:00');
    assert.equal(iso(nextDue(weekly, 'Europe/Berlin', first ?? 0)), '2026-04-05T00:30');
  });

  it('when the clock repeats the hour of a report, then the report is due once that day', () => {
    const first = nextDue(weekly, 'Europe/Berlin', at('2026-10-24T12:00:00Z'));
    assert.ok(['2026-10-25T00:30', '2026-10-25T01:30'].includes(String(iso(first))));
    assert.equal(iso(nextDue(weekly, 'Europe/Berlin', first ?? 0)), '2026-11-01T01:30');
  });

  it('when a report is monthly, then its local time stays the same over a clock change', () => {
    const march = nextDue(monthly, 'America/New_York', at('2026-02-28T14:00:00Z'));
    assert.deepEqual(
      [iso(march), iso(nextDue(monthly, 'America/New_York', march ?? 0))],
      ['2026-03-28T12:00', '2026-04-28T12:00'],
    );
    assert.equal(iso(nextDue(monthly, 'America/New_York', at('2026-02-01T00:00:00Z'))), '2026-02-28T13:00');
  });

  it('when several due times were missed, then the last of them counts', () => {
    const first = at('2026-10-04T01:30:00Z');
    assert.equal(iso(lastDue(weekly, 'UTC', first, at('2026-11-21T00:00:00Z'))), '2026-11-15T02:30');
    assert.equal(lastDue(weekly, 'UTC', first, first), first);
  });
});

describe('period of a report', () => {
  for (const [day, frequency, startDate, endDate] of [
    ['2026-11-22', 'weekly', '2026-11-09', '2026-11-15'],
    ['2026-11-23', 'weekly', '2026-11-16', '2026-11-22'],
    ['2027-01-01', 'weekly', '2026-12-21', '2026-12-27'],
    ['2026-11-22', 'monthly', '2026-10-01', '2026-10-31'],
    ['2027-01-28', 'monthly', '2026-12-01', '2026-12-31'],
    ['2028-03-01', 'monthly', '2028-02-01', '2028-02-29'],
  ] as const)
    it(`when a ${frequency} report is due on ${day}, then its period is ${startDate} to ${endDate}`, () => {
      assert.deepEqual(lastCompletePeriod(frequency, day), { startDate, endDate });
    });
});
