import assert from 'node:assert/strict';
import {
  stateToAlert,
  stateOf,
  type Condition,
  type DomainState,
} from '../../../src/domains/domain-monitor/domain-state.ts';
import { DAY } from '../../../src/shared/clock.ts';

const NOW = Date.parse('2026-11-22T08:00:00Z');

describe('the state of a domain', () => {
  for (const [condition, expiresIn, state] of [
    ['unknown', -DAY, 'unknown'],
    ['unsupported_tld', -DAY, 'unsupported_tld'],
    ['lookup_failed', -DAY, 'lookup_failed'],
    ['redemption', -DAY, 'redemption'],
    ['redemption', 900 * DAY, 'redemption'],
    ['registered', null, 'active'],
    ['registered', -1, 'expired'],
    ['registered', 0, 'expiring'],
    ['registered', 30 * DAY, 'expiring'],
    ['registered', 31 * DAY - 1, 'expiring'],
    ['registered', 31 * DAY, 'active'],
  ] as [Condition, number | null, DomainState][])
    it(`when it is ${condition} and ${expiresIn ?? 'no'} ms are left, then it is ${state}`, () => {
      const expiresAt = expiresIn === null ? null : NOW + expiresIn;
      assert.equal(stateOf({ condition, expiresAt }, 30, NOW), state);
    });

  it('when the threshold is 0, then only its last day counts', () => {
    const at = (expiresAt: number): DomainState => stateOf({ condition: 'registered', expiresAt }, 0, NOW);
    assert.deepEqual([at(NOW), at(NOW + DAY - 1), at(NOW + DAY)], ['expiring', 'expiring', 'active']);
  });
});

describe('the news of a domain', () => {
  const told = (...states: DomainState[]): DomainState[] => {
    const news: DomainState[] = [];
    let known: Parameters<typeof stateToAlert>[1] = null;
    for (const state of states) {
      const next = stateToAlert(state, known);
      if (next === null) continue;
      known = next;
      news.push(next);
    }
    return news;
  };

  it('when a state stays, or a domain is well from the beginning, then there is none', () => {
    assert.deepEqual(told('unknown', 'active', 'active', 'expiring', 'expiring', 'expired'), ['expiring', 'expired']);
  });

  it('when look-ups fail for a while, then what was told is not told again', () => {
    assert.deepEqual(told('expiring', 'lookup_failed', 'unknown', 'unsupported_tld', 'expiring'), ['expiring']);
  });

  it('when a domain is renewed, then that is news', () => {
    const states: DomainState[] = ['expiring', 'active', 'expiring', 'redemption', 'active'];
    assert.deepEqual(told(...states), states);
  });
});
