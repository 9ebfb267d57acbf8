import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Container } from '../service/container.ts';

const FILE = 'advisories.json';

type DemoAdvisory = readonly [slug: string, name: string, fixed: string, vector: string, summary: string];

const ADVISORIES: readonly DemoAdvisory[] = [
  ['contact-form-7', 'Contact Form 7', '6.1.3', 'AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H', 'visitors can upload files that run'],
  ['elementor', 'Elementor', '3.33.1', 'AC:L/PR:L/UI:N/S:C/C:L/I:L/A:N', 'contributors can store scripts'],
  ['woocommerce', 'WooCommerce', '10.2.0', 'AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N', 'orders of others can be read'],
  ['redirection', 'Redirection', '5.5.2', 'AC:H/PR:H/UI:N/S:U/C:L/I:N/A:N', 'a log shows more than it should'],
];

const record = ([slug, name, fixed, vector, summary]: DemoAdvisory, index: number) => ({
  schema_version: '1.9.0',
  id: `DEMO-2026-${index + 1}`,
  published: '2026-11-20T06:02:11Z',
  modified: '2026-11-20T06:02:11Z',
  summary: `Demo: ${summary}`,
  details: `Demo: ${summary}. This record was made up for the demo.`,
  severity: [{ type: 'CVSS_V3', score: `CVSS:3.1/AV:N/${vector}` }],
  affected: [
    {
      package: { ecosystem: 'WordPress:Plugin', name: slug },
      ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed }] }],
      database_specific: { name },
    },
  ],
});

export async function demoFeedDir(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sitefleet-demo-feeds-'));
  await writeFile(join(folder, FILE), JSON.stringify(ADVISORIES.map(record), null, 2));
  return folder;
}

export async function demoVulnerabilities({ services }: Container): Promise<void> {
  await services.settings.settings.edit('vulnerabilities', { osv_sources: [FILE] }, 'demo');
  await services.schedules.schedules.run('vulnerability-refresh', 'demo');
}
