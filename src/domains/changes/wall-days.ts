import { DAY, MINUTE } from '../../shared/clock.ts';

/** What clocks on the wall show, as far ahead of UTC. */
export interface Clocks {
  offsetAt(ms: number): number;
}

/** A piece of time in which nobody moved the clocks. */
export interface SteadySpan {
  from: number;
  until: number;
  offset: number;
}

/** Parts of a range between which the clocks were moved. */
export function clockChanges({ from, until }: { from: number; until: number }, clocks: Clocks): SteadySpan[] {
  const spans: SteadySpan[] = [];
  for (let start = from; start < until;) {
    const offset = clocks.offsetAt(start);
    const end = endOf(start, until, offset, clocks);
    spans.push({ from: start, until: end, offset });
    start = end;
  }
  return spans;
}

/** Up to when the offset holds; clocks are moved at a whole minute, and not twice within a day. */
function endOf(start: number, until: number, offset: number, clocks: Clocks): number {
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
