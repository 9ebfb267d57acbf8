import { operationsOf } from '../../src/contract/index.ts';
import type { OperationEntry } from './entries.ts';

/** Guides of the parts whose terms they explain. */
const GUIDES: Readonly<Record<string, string>> = {
  jobs: '[Jobs](/guides/jobs)',
  changes: '[Change log](/guides/changes)',
  'pro-reports': '[Reports](/guides/reports)',
  'report-schedules': '[Reports](/guides/reports)',
  'report-templates': '[Reports](/guides/reports)',
  'perf-audit': '[Performance audits](/guides/performance-audits)',
  'time-tracker': '[Time tracker](/guides/time-tracker)',
  'ssl-monitor': '[SSL monitor](/guides/ssl-monitor)',
  'domain-monitor': '[Domain monitor](/guides/domain-monitor)',
  vulnerabilities: '[Vulnerabilities](/guides/vulnerabilities)',
  mail: '[Mail](/guides/mail)',
};

/** Words of a description, and what explains them. */
const TOPICS: readonly (readonly [RegExp, string])[] = [
  [/queued job|`job_id`|[Qq]ueues /, '[Jobs](/guides/jobs)'],
  [/general settings?\b/, '[general settings](/reference/v2/settings_general_get)'],
  [/advanced settings?\b/, '[advanced settings](/reference/v2/settings_advanced_get)'],
];

/** Returns links to what a description mentions: guides, settings, and operations of the same surface. */
export function seeAlsoLinks({ id, part, surface, contract, description }: OperationEntry): string[] {
  const operations = new Set(operationsOf(contract).map(({ operation }) => operation.operationId));
  const named = [...description.matchAll(/`([\w-]+)`/g)].flatMap(([, name = '']) =>
    operations.has(name) && name !== id ? [`[\`${name}\`](/reference/${surface}/${name})`] : [],
  );
  const topics = TOPICS.filter(([words]) => words.test(description)).map(([, link]) => link);
  return [...new Set([...named, ...(GUIDES[part] ? [GUIDES[part]] : []), ...topics])];
}
