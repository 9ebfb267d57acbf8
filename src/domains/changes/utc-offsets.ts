import { DAY, MINUTE } from '../../shared/clock.ts';

/** `offsetAt` returns the milliseconds that local time is ahead of UTC. */
export interface UtcOffsets {
  offsetAt(ms: number): number;
}

export interface FixedOffsetSpan {
  from: number;
  until: number;
  offset: number;
}

export function splitAtOffsetChanges(
  { from, until }: { from: number; until: number },
  clocks: UtcOffsets,
): FixedOffsetSpan[] {
  const spans: FixedOffsetSpan[] = [];
  for (let start = from; start < until;) {
    const offset = clocks.offsetAt(start);
    const end = findUtcOffsetEnd(start, until, offset, clocks);
    spans.push({ from: start, until: end, offset });
    start = end;
  }
  return spans;
}

/**
 * Returns the time until which `offset` applies, at most `until`. Assumes that the offset changes at a whole minute and
 * at most once a day.
 */
function findUtcOffsetEnd(start: number, until: number, offset: number, clocks: UtcOffsets): number {
  let steady = start;
  let next = Math.min(start + DAY, until);
  while (clocks.offsetAt(next) === offset) {
    if (next >= until) return until;
    steady = next;
    next = Math.min(next + DAY, until);
  }
  while (next - steady > MINUTE) {
    const middle = Math.floor((steady + next) / 2);
    if (clocks.offsetAt(middle) === offset) steady = middle;
    else next = middle;
  }
  return Math.floor(next / MINUTE) * MINUTE;
}
