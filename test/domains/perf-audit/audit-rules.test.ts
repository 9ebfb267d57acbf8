import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { DeviceAudit, DeviceAudits, AuditState, Scores } from '../../../src/domains/perf-audit/audit.ts';
import {
  performanceScoreChange,
  isScoreBelow,
  isRecent,
  isUnderWay,
  lowestPerformanceScore,
  pickDeviceAudits,
  visibleAuditState,
  withPreviousScores,
} from '../../../src/domains/perf-audit/audit-rules.ts';
import { parseLighthouseReport } from '../../../src/domains/perf-audit/lighthouse-report.ts';
import { AuditError } from '../../../src/domains/perf-audit/audit.ts';
import { lighthouseReport } from '../../support/perf-audit.ts';

const scores = (performance: number | null): Scores => ({ performance, accessibility: 1, bestPractices: null, seo: 0 });
const side = (performance: number | null, previous: Scores | null = null): DeviceAudit => ({
  scores: scores(performance),
  previous,
  fetchedAt: 5,
  finalUrl: null,
  engineVersion: null,
  labData: [],
  opportunities: [],
});
const deviceAudits = (desktop: number | null | undefined, mobile: number | null | undefined): DeviceAudits => ({
  desktop: desktop === undefined ? null : side(desktop),
  mobile: mobile === undefined ? null : side(mobile),
});

describe('audit rules', () => {
  for (const [desktop, mobile, score] of [
    [undefined, undefined, null],
    [90, undefined, 90],
    [undefined, 40, 40],
    [90, 40, 40],
    [null, 40, 40],
    [null, null, null],
    [0, 100, 0],
  ] as const)
    it(`when desktop has ${desktop} and mobile ${mobile}, then the score is ${score}`, () =>
      assert.equal(lowestPerformanceScore(deviceAudits(desktop, mobile)), score));

  it('when a score is under the threshold, then the site is below it; an equal or missing score is not below', () => {
    assert.equal(isScoreBelow(deviceAudits(49, 90), 50), true);
    assert.equal(isScoreBelow(deviceAudits(50, 90), 50), false);
    assert.equal(isScoreBelow(deviceAudits(null, undefined), 50), false);
    assert.equal(isScoreBelow(deviceAudits(0, 0), 0), false);
  });

  it('when the settings omit a device, then its scores are neither shown nor counted', () => {
    const known = deviceAudits(90, 40);
    assert.deepEqual(pickDeviceAudits(known, 'both'), known);
    assert.deepEqual(pickDeviceAudits(known, 'desktop'), { ...known, mobile: null });
    assert.equal(lowestPerformanceScore(pickDeviceAudits(known, 'desktop')), 90);
    assert.equal(lowestPerformanceScore(pickDeviceAudits(known, 'mobile')), 40);
  });

  it('when an audit follows another, then it has the previous scores and the difference', () => {
    const first = withPreviousScores(null, side(80));
    const second = withPreviousScores(first, side(70));
    assert.deepEqual([first.previous, performanceScoreChange(first)], [null, null]);
    assert.deepEqual([second.previous, performanceScoreChange(second)], [scores(80), -10]);
    assert.equal(performanceScoreChange(withPreviousScores(second, side(null))), null);
    assert.equal(performanceScoreChange(withPreviousScores(side(null), side(70))), null);
  });

  it('when the job of an open audit has ended, then the audit is failed and other states stay', () => {
    const states: AuditState[] = ['never', 'queued', 'running', 'completed', 'failed'];
    const shown = (isJobAtWork: boolean) =>
      states.map((state) => visibleAuditState({ state, error: null }, isJobAtWork));
    assert.deepEqual(
      shown(true).map(({ state }) => state),
      states,
    );
    assert.deepEqual(
      shown(false).map(({ state, error }) => [state, error?.code]),
      [
        ['never', undefined],
        ['failed', 'interrupted'],
        ['failed', 'interrupted'],
        ['completed', undefined],
        ['failed', undefined],
      ],
    );
    assert.deepEqual(
      states.map((state) => isUnderWay(state, true)),
      [false, true, true, false, false],
    );
    assert.ok(states.every((state) => !isUnderWay(state, false)));
  });

  it('when an audit was completed within the minimum age, then it is recent, and a failed audit never is', () => {
    const at = (state: AuditState, lastCheckAt: number | null) =>
      isRecent({ state, lastCheckAt }, { now: 100, minimumAgeMs: 10 });
    assert.deepEqual(
      [at('completed', 91), at('completed', 90), at('failed', 99), at('never', null)],
      [true, false, false, false],
    );
    // The clocks of two processes can differ by minutes, but not by more than five.
    assert.deepEqual([at('completed', 300_100), at('completed', 300_101)], [true, false]);
  });

  it('when a report has arbitrary content, then it is read within limits or rejected with one error', () => {
    const anything = fc.oneof(
      fc.anything({ maxDepth: 4 }),
      fc.record({
        categories: fc.anything(),
        audits: fc.anything(),
        runtimeError: fc.anything(),
        finalUrl: fc.anything(),
      }),
      fc.anything({ maxDepth: 3 }).map((audits) => lighthouseReport(50, { audits })),
      fc.dictionary(fc.string(), fc.anything({ maxDepth: 2 })).map((audits) => lighthouseReport(50, { audits })),
    );
    fc.assert(
      fc.property(anything, (report) => {
        try {
          const { scores: read, labData, opportunities, finalUrl } = parseLighthouseReport(report);
          for (const score of Object.values(read)) assert.ok(score === null || (score >= 0 && score <= 100));
          assert.ok(labData.length <= 6 && opportunities.length <= 30);
          assert.ok(finalUrl === null || /^https?:/i.test(finalUrl));
        } catch (error) {
          assert.ok(error instanceof AuditError, String(error));
        }
      }),
      { numRuns: 2000 },
    );
  });
});
