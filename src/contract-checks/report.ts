import type { Finding, Outcome } from './findings.ts';

export interface VerificationReport {
  url: string;
  calls: number;
  findings: Finding[];
}

const countOf = (findings: readonly Finding[], outcome: Outcome): number =>
  findings.filter((each) => each.outcome === outcome).length;

const groupByRule = (findings: readonly Finding[]): Map<string, Finding[]> => {
  const laws = new Map<string, Finding[]>();
  for (const each of findings) laws.set(each.law, [...(laws.get(each.law) ?? []), each]);
  return laws;
};

/** Formats the results for people, law by law, with the failures. */
export function formatReport({ url, calls, findings }: VerificationReport): string {
  const lines = [...groupByRule(findings)].map(([law, all]) => {
    const [passed, failed, skipped] = (['passed', 'failed', 'skipped'] as const).map((each) => countOf(all, each));
    return `${failed ? 'FAILED' : 'passed'}  ${law.padEnd(16)} ${passed} passed, ${failed} failed, ${skipped} skipped`;
  });
  const failures = findings
    .filter(({ outcome }) => outcome === 'failed')
    .map(({ law, subject, message }) => `\n${law}, ${subject}:\n  ${message.split('\n').join('\n  ')}`);
  const verdict =
    failures.length === 0
      ? 'keeps its contract'
      : `breaks its contract in ${failures.length} ${failures.length === 1 ? 'place' : 'places'}`;
  return [...lines, ...failures, '', `${url} ${verdict} (${calls} calls).`].join('\n');
}

const escaped = (text: string): string =>
  text
    // XML does not allow these characters.
    // oxlint-disable-next-line no-control-regex
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
    .replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** Formats the results for CI, with a test suite for each law. */
export function formatJunit({ findings }: VerificationReport): string {
  const suites = [...groupByRule(findings)].map(([law, all]) => {
    const cases = all.map(({ subject, outcome, message }) => {
      const [line = ''] = message.split('\n');
      const inner = {
        passed: '',
        failed: `<failure message="${escaped(line)}">${escaped(message)}</failure>`,
        skipped: `<skipped message="${escaped(line)}"/>`,
      }[outcome];
      return `    <testcase classname="${escaped(law)}" name="${escaped(subject)}">${inner}</testcase>`;
    });
    const counts = `tests="${all.length}" failures="${countOf(all, 'failed')}" skipped="${countOf(all, 'skipped')}"`;
    return `  <testsuite name="${escaped(law)}" ${counts}>\n${cases.join('\n')}\n  </testsuite>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join('\n')}\n</testsuites>\n`;
}
