import assert from 'node:assert/strict';
import {
  appendBeat,
  packHeartbeatWithDay,
  unpackHeartbeatsOfDay,
  unpackHeartbeatWithDay,
  type Heartbeat,
} from '../../../src/domains/uptime/heartbeat.ts';
import type { CheckAttempt } from '../../../src/domains/uptime/check-attempt.ts';
import { HourlyFiguresOfDay } from '../../../src/domains/uptime/check-figures.ts';
import { nextCheckAt } from '../../../src/domains/uptime/monitor-settings.ts';
import { DAY, HOUR, MINUTE } from '../../../src/shared/clock.ts';

const TODAY = 20_779;

const attempt = (more: Partial<CheckAttempt> = {}): CheckAttempt => ({
  finding: 'status_accepted',
  status: 200,
  address: '203.0.113.7',
  totalMs: 184,
  dnsMs: 0,
  connectMs: 21,
  tlsMs: null,
  firstByteMs: 108,
  ...more,
});
const lost = attempt({ finding: 'connect', status: 0, address: '2001:db8::1', connectMs: null, firstByteMs: null });
const unresolved = attempt({ finding: 'dns', status: 0, address: null, connectMs: null, firstByteMs: null });

const beats: Heartbeat[] = [
  { at: TODAY * DAY, state: 'up', isChange: true, attempts: [attempt()] },
  { at: TODAY * DAY + 5 * MINUTE, state: 'up', isChange: false, attempts: [attempt({ totalMs: 90 })] },
  { at: TODAY * DAY + 2 * HOUR, state: 'down', isChange: true, attempts: [lost, unresolved] },
  { at: TODAY * DAY + 3 * HOUR, state: 'pending', isChange: true, attempts: [lost] },
  { at: TODAY * DAY + 4 * HOUR, state: 'pending', isChange: false, isDuringUpdate: true, attempts: [lost] },
];

describe('heartbeats of a day', () => {
  it('when heartbeats are packed, then unpacking returns the same heartbeats', () => {
    const text = beats.reduce(appendBeat, '');
    assert.deepEqual(unpackHeartbeatsOfDay(TODAY, text), beats);
    for (const beat of beats) assert.deepEqual(unpackHeartbeatWithDay(packHeartbeatWithDay(beat)), beat);
  });

  it('when nothing changes, then a heartbeat takes less than 30 characters', () => {
    const [first] = beats as [Heartbeat];
    const day = Array.from({ length: 288 }, (_, index) => ({ ...first, at: first.at + index * 5 * MINUTE }));
    assert.ok(day.reduce(appendBeat, '').length < 288 * 30);
  });

  it('when heartbeats are summed per hour, then pending ones count neither as up nor as down', () => {
    const day = HourlyFiguresOfDay.of(TODAY, '');
    for (const beat of beats) day.add(beat);
    const again = HourlyFiguresOfDay.of(TODAY, day.packed());
    assert.deepEqual(again.hour(0), { up: 2, down: 0, timeSum: 274, timeMin: 90, timeMax: 184 });
    assert.deepEqual([again.hour(2).down, again.hour(3).down], [1, 0]);
  });
});

describe('time of a check in its interval', () => {
  it('when there are 10,000 sites, then their checks are spread evenly and keep their distance', () => {
    const now = TODAY * DAY + 17;
    const slots = new Map<number, number>();
    for (let siteId = 1; siteId <= 10_000; siteId++) {
      const next = nextCheckAt(siteId, 5, now);
      assert.ok(next >= now + 2.5 * MINUTE && next < now + 7.5 * MINUTE);
      const minute = Math.floor((next % (5 * MINUTE)) / MINUTE);
      slots.set(minute, (slots.get(minute) ?? 0) + 1);
    }
    assert.deepEqual([...slots.values()], [2000, 2000, 2000, 2000, 2000]);
  });
});
