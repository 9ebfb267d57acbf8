import assert from 'node:assert/strict';
import {
  domainStateOf,
  newsOf,
  stateToRecord,
  type AlertedDomain,
  type DomainCondition,
  type DomainNews,
  type DomainState,
} from '../../../src/domains/domain-monitor/domain-state.ts';
import { DAY } from '../../../src/shared/clock.ts';

const NOW = Date.parse('2026-11-22T08:00:00Z');

describe('domain state', () => {
  for (const [condition, expiresIn, state] of [
    ['unknown', -DAY, 'unknown'],
    ['unsupported_tld', null, 'unsupported_tld'],
    ['unsupported_tld', -DAY, 'expired'],
    ['lookup_failed', null, 'lookup_failed'],
    ['lookup_failed', -DAY, 'expired'],
    ['lookup_failed', 11 * DAY, 'expiring'],
    ['lookup_failed', 200 * DAY, 'lookup_failed'],
    ['not_found', null, 'not_found'],
    ['not_found', -DAY, 'not_found'],
    ['not_found', 200 * DAY, 'not_found'],
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
  const told = (...states: [DomainState, expiresAt?: number | null, isManual?: boolean][]): DomainNews[] => {
    const alerts: DomainNews[] = [];
    let known: AlertedDomain = { alertedState: null, alertedExpiresAt: null };
    for (const [state, expiresAt = 1, isManual = false] of states) {
      const next = stateToRecord(state, known);
      if (next === null) continue;
      const news = newsOf(next, known, { expiresAt, isManual });
      if (news) alerts.push(news);
      known = { alertedState: next, alertedExpiresAt: expiresAt };
    }
    return alerts;
  };

  it('when a state stays the same, or the first state is active, then no alert is raised', () => {
    const states = ['unknown', 'active', 'active', 'expiring', 'expiring', 'expired'] as const;
    assert.deepEqual(told(...states.map((state): [DomainState] => [state])), ['expiring', 'expired']);
  });

  it('when lookups fail for a while, then the earlier alert is not repeated', () => {
    const states = ['expiring', 'lookup_failed', 'unknown', 'unsupported_tld', 'expiring'] as const;
    assert.deepEqual(told(...states.map((state): [DomainState] => [state])), ['expiring']);
  });

  it('when a domain is active again, then an alert is raised only if its expiry date is later than before', () => {
    assert.deepEqual(told(['expiring', 5], ['active', 6], ['expiring', 6]), ['expiring', 'active', 'expiring']);
    assert.deepEqual(told(['expiring', 5], ['active', 5], ['expiring', 5]), ['expiring', 'expiring']);
    assert.deepEqual(told(['expired', 5], ['active', null]), ['expired']);
  });

  it('when the registry does not know a domain, then an alert is raised, also at the first lookup', () => {
    assert.deepEqual(told(['not_found', null], ['not_found', null]), ['not_found']);
  });

  it('when the registry knows a lost domain again, then an alert says so, but not for a manual entry', () => {
    const lost: [DomainState, number][] = [
      ['active', 200],
      ['not_found', 200],
    ];
    assert.deepEqual(told(...lost, ['active', 200], ['active', 200]), ['not_found', 'registered']);
    assert.deepEqual(told(...lost, ['active', 565]), ['not_found', 'registered']);
    assert.deepEqual(told(...lost, ['lookup_failed', 200], ['active', 200]), ['not_found', 'registered']);
    assert.deepEqual(told(...lost, ['active', 200, true]), ['not_found']);
    assert.deepEqual(told(['not_found', null], ['expiring', 20]), ['not_found', 'expiring']);
    assert.deepEqual(told(['redemption', 5], ['active', 5]), ['redemption', 'registered']);
    assert.deepEqual(told(['redemption', 5], ['active', 370]), ['redemption', 'active']);
  });
});
