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

function failureLines(findings: readonly Finding[]): string[] {
  const failed = findings.filter(({ outcome }) => outcome === 'failed');
  const heads = failed.map(({ law, subject }) => [law.padEnd(LONGEST_RULE), subject] as const);
  const width = Math.max(0, ...heads.map(([, subject]) => subject.length));
  return failed.flatMap(({ message, violations = [] }, at) => {
    const [law = '', subject = ''] = heads[at] ?? [];
    const places = violations.map(({ path, expected, got, places: many }) => {
      const others = many > 1 ? ` (${many} times)` : '';
      return `${path || 'the body'}: expected ${expected}, got ${got}${others}`;
    });
    const others = message.split('\n').filter((line) => places.length === 0 || !line.includes(VIOLATION));
    return [...others, ...places].map((text) => `${law}  ${subject.padEnd(width)}  ${text}`);
  });
}

const LONGEST_RULE = 'tags of records'.length;
const VIOLATION = ' breaks the contract: ';

export function formatReport({ url, calls, findings }: VerificationReport): string {
  const lines = [...groupByRule(findings)].map(([law, all]) => {
    const [passed, failed, skipped] = (['passed', 'failed', 'skipped'] as const).map((each) => countOf(all, each));
    return `${failed ? 'FAILED' : 'passed'}  ${law.padEnd(16)} ${passed} passed, ${failed} failed, ${skipped} skipped`;
  });
  const failures = failureLines(findings);
  const places = countOf(findings, 'failed');
  const verdict =
    places === 0 ? 'keeps its contract' : `breaks its contract in ${places} ${places === 1 ? 'place' : 'places'}`;
  return [...lines, ...(failures.length > 0 ? ['', ...failures] : []), '', `${url} ${verdict} (${calls} calls).`].join(
    '\n',
  );
}

const escaped = (text: string): string =>
  text
    // XML does not allow these characters.
    // oxlint-disable-next-line no-control-regex
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
    .replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

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
