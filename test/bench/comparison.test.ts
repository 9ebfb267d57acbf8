import assert from 'node:assert/strict';
import { compareFigures, isWorse, type MeasuredRound } from '../../scripts/bench/comparison.ts';
import type { Figure } from '../../scripts/bench/report.ts';

const time = (value: number): Figure => ({ name: 'time', value, unit: 'ms' });
const rate = (value: number): Figure => ({
  name: 'rate',
  value,
  unit: 'ratio',
  must: { limit: 0.5, better: 'higher' },
});

describe('benchmark comparison with a second checkout', () => {
  it('when lower values are better, then the cost is the ratio of now to before in each round', () => {
    const rounds: MeasuredRound[] = [
      { before: [time(10)], now: [time(11)] },
      { before: [time(40)], now: [time(20)] },
      { before: [time(20)], now: [time(24)] },
    ];
    const [comparison] = compareFigures(rounds);
    assert.deepEqual(comparison, { name: 'time', before: [10, 40, 20], now: [11, 20, 24], cost: 1.1, worseIn: 2 });
    assert.equal(comparison && isWorse(comparison), false);
  });

  it('when higher values are better, then a lower value has a higher cost', () => {
    const [comparison] = compareFigures([
      { before: [rate(1)], now: [rate(0.5)] },
      { before: [rate(0.9)], now: [rate(0.6)] },
      { before: [rate(0.8)], now: [rate(0.4)] },
    ]);
    assert.equal(comparison?.cost, 2);
    assert.equal(comparison && isWorse(comparison), true);
  });

  it('when a round lacks a figure or the figure is a bound, then it is not compared', () => {
    const bound: Figure = { ...rate(1), name: 'bound', isBound: true };
    const rounds: MeasuredRound[] = [
      { before: [bound, time(1)], now: [{ ...bound, value: 2 }, time(1), rate(1)] },
      { before: [bound], now: [bound, time(1), rate(1)] },
    ];
    assert.deepEqual(compareFigures(rounds), []);
  });

  it('when both values are 0, then the cost is 1', () => {
    const [comparison] = compareFigures([{ before: [time(0)], now: [time(0)] }]);
    assert.equal(comparison?.cost, 1);
    assert.equal(comparison.worseIn, 0);
  });
});
