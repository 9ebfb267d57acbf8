import type { CheckAttempt } from '../domains/uptime/check-attempt.ts';
import { HourlyFiguresOfDay } from '../domains/uptime/check-figures.ts';
import type { Heartbeat } from '../domains/uptime/heartbeat.ts';

const USUAL: CheckAttempt = {
  ...{ finding: 'status_accepted', status: 200, address: '203.0.113.7', totalMs: 180 },
  ...{ dnsMs: 1, connectMs: 20, tlsMs: 40, firstByteMs: 119 },
};

export const sampleHeartbeat = (
  at: number,
  state: Heartbeat['state'],
  attempt: Partial<CheckAttempt> = {},
): Heartbeat => ({
  at,
  state,
  isChange: false,
  attempts: [{ ...USUAL, ...attempt }],
});

export function monitorDayOf(siteId: number, day: number, beats: readonly Heartbeat[]) {
  const figures = HourlyFiguresOfDay.of(day, '');
  for (const beat of beats) figures.add(beat);
  const up = beats.filter(({ state }) => state === 'up').length;
  return { site_id: siteId, day, up, down: beats.length - up, hours: figures.packed() };
}
