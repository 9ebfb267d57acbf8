import assert from 'node:assert/strict';
import {
  intersectSpans,
  lengthOfSpans,
  mergeSpans,
  subtractSpans,
  type TimeSpan,
} from '../../../src/domains/uptime/time-spans.ts';
import { uptimeHistoryOf, uptimeIn, uptimePercentOf } from '../../../src/domains/uptime/uptime-history.ts';

const LENGTH = 40;

/** Returns the units of time that are in at least one of the spans. */
const unitsOf = (spans: readonly TimeSpan[]): number[] =>
  Array.from({ length: LENGTH }, (_, unit) => unit).filter((unit) =>
    spans.some(({ from, until }) => unit >= from && unit < until),
  );

describe('uptime by time', () => {
  it('when lists of spans are combined, then the result matches a count of each unit of time', () => {
    let seed = 7;
    const random = (below: number): number => (seed = (seed * 48_271) % 0x7fffffff) % below;
    const spans = (): TimeSpan[] =>
      Array.from({ length: random(6) }, () => {
        const from = random(LENGTH);
        return { from, until: from + random(9) };
      });
    for (let round = 0; round < 500; round++) {
      const [left, right] = [spans(), spans()];
      const [one, other] = [mergeSpans(left), mergeSpans(right)];
      const [inOne, inOther] = [unitsOf(left), unitsOf(right)];
      const expected = [inOne, inOne.filter((u) => inOther.includes(u)), inOne.filter((u) => !inOther.includes(u))];
      for (const [index, result] of [one, intersectSpans(one, other), subtractSpans(one, other)].entries()) {
        assert.deepEqual(unitsOf(result), expected[index]);
        assert.ok(result.every(({ from }, at) => at === 0 || from > (result[at - 1]?.until ?? 0)));
      }
      assert.equal(
        lengthOfSpans(one),
        one.reduce((sum, { from, until }) => sum + until - from, 0),
      );
    }
  });

  it('when incidents overlap, go on or are outside of the watched time, then each moment of downtime counts once', () => {
    const history = uptimeHistoryOf({
      watched: [
        { from: 0, until: 100 },
        { from: 150, until: 200 },
      ],
      incidents: [
        { startedAt: 10, endedAt: 30 },
        { startedAt: 20, endedAt: 40 },
        { startedAt: 110, endedAt: 140 },
        { startedAt: 190, endedAt: null },
      ],
      updates: [{ from: 15, until: 25 }],
    });
    // Of 150 watched units, down from 10 to 15, from 25 to 40 and from 190 to 200.
    assert.deepEqual(uptimeIn(history, { from: 0, until: 1000 }), { watchedMs: 150, downMs: 30 });
    assert.equal(uptimePercentOf({ watchedMs: 150, downMs: 30 }), 80);
  });

  it('when the downtime is too short for three decimals, then the uptime is not 100 %', () => {
    assert.equal(uptimePercentOf({ watchedMs: 30 * 86_400_000, downMs: 1000 }), 99.999);
    assert.equal(uptimePercentOf({ watchedMs: 1000, downMs: 0 }), 100);
    assert.equal(uptimePercentOf({ watchedMs: 0, downMs: 0 }), null);
  });
});
