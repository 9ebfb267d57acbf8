import assert from 'node:assert/strict';
import {
  MONITOR_STATES,
  needsConfirmation,
  nextMonitorState,
  type MonitorState,
} from '../../../src/domains/uptime/monitor-state.ts';
import { incidentsIn } from '../../support/uptime.ts';

/** Returns all sequences of this number of results. */
const outcomes = (length: number): boolean[][] =>
  length === 0 ? [[]] : outcomes(length - 1).flatMap((rest) => [true, false].map((isUp) => [isUp, ...rest]));

/** Feeds attempts to a monitor. Returns the attempts that opened and closed an incident. */
function run(attempts: readonly boolean[], confirms: (check: number) => boolean) {
  let state: MonitorState = 'first';
  const opened: number[] = [];
  const closed: number[] = [];
  for (let at = 0, check = 0; at < attempts.length; check++) {
    const made = [attempts[at] as boolean];
    if (!made[0] && needsConfirmation(state, confirms(check)) && at + 1 < attempts.length)
      made.push(attempts[at + 1] as boolean);
    at += made.length;
    const step = nextMonitorState(state, made);
    // The last attempt of a check, which can be its confirmation, makes the change.
    if (step.opens) opened.push(at - 1);
    if (step.closes) closed.push(at - 1);
    state = step.state;
  }
  return { state, opened, closed };
}

describe('monitor state', () => {
  for (const [title, confirms] of [
    ['with confirmation', () => true],
    ['without confirmation', () => false],
    ['with confirmation of every other check', (check: number) => check % 2 === 0],
  ] as const)
    it(`when checks end in any order ${title}, then only two failed checks in a row open an incident`, () => {
      for (let length = 1; length <= 12; length++)
        for (const attempts of outcomes(length)) {
          const { opened, closed, lost } = incidentsIn(attempts);
          const seen = run(attempts, confirms);
          assert.deepEqual({ opened: seen.opened, closed: seen.closed }, { opened, closed }, attempts.join());
          assert.equal(seen.state, lost === 0 ? 'up' : lost === 1 ? 'pending' : 'down', attempts.join());
        }
    });

  it('when a check fails, then it is confirmed only if a second failure would change the state', () => {
    const confirmed = MONITOR_STATES.filter((state) => needsConfirmation(state, true));
    assert.deepEqual(confirmed, ['first', 'up']);
    assert.ok(MONITOR_STATES.every((state) => !needsConfirmation(state, false)));
  });

  it('when a confirmation succeeds, then the failed check before it does not count', () => {
    assert.deepEqual(nextMonitorState('up', [false, true]), { state: 'up', opens: false, closes: false });
    assert.deepEqual(nextMonitorState('up', [false]), { state: 'pending', opens: false, closes: false });
  });
});
