import assert from 'node:assert/strict';
import {
  stateToAlert,
  domainStateOf,
  type DomainCondition,
  type DomainState,
} from '../../../src/domains/domain-monitor/domain-state.ts';
import { DAY } from '../../../src/shared/clock.ts';

const NOW = Date.parse('2026-11-22T08:00:00Z');

describe('domain state', () => {
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
  ] as [DomainCondition, number | null, DomainState][])
    it(`when a domain is ${condition} and ${expiresIn ?? 'no'} ms are left, then its state is ${state}`, () => {
      const expiresAt = expiresIn === null ? null : NOW + expiresIn;
      assert.equal(domainStateOf({ condition, expiresAt }, 30, NOW), state);
    });

  it('when the threshold is 0, then the domain is expiring only on its last day', () => {
    const at = (expiresAt: number): DomainState => domainStateOf({ condition: 'registered', expiresAt }, 0, NOW);
    assert.deepEqual([at(NOW), at(NOW + DAY - 1), at(NOW + DAY)], ['expiring', 'expiring', 'active']);
  });
});

describe('domain alerts', () => {
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

  it('when a state stays the same, or the first state is active, then no alert is raised', () => {
    assert.deepEqual(told('unknown', 'active', 'active', 'expiring', 'expiring', 'expired'), ['expiring', 'expired']);
  });

  it('when lookups fail for a while, then the earlier alert is not repeated', () => {
    assert.deepEqual(told('expiring', 'lookup_failed', 'unknown', 'unsupported_tld', 'expiring'), ['expiring']);
  });

  it('when a domain is renewed, then an alert is raised', () => {
    const states: DomainState[] = ['expiring', 'active', 'expiring', 'redemption', 'active'];
    assert.deepEqual(told(...states), states);
  });
});
