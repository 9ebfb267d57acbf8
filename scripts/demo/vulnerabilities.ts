import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Container } from '../../src/service/container.ts';

const FILE = 'advisories.json';

interface DemoAdvisory {
  slug: string;
  name: string;
  fixed: string;
  summary: string;
  vector: string;
}

/** Invented advisories for versions that the simulated sites have. */
const ADVISORIES: readonly DemoAdvisory[] = [
  {
    ...{ slug: 'contact-form-7', name: 'Contact Form 7', fixed: '6.1.3' },
    summary: 'Demo: visitors can upload files that run',
    vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
  },
  {
    ...{ slug: 'elementor', name: 'Elementor', fixed: '3.33.1' },
    summary: 'Demo: contributors can store scripts',
    vector: 'CVSS:3.1/AV:N/AC:L/PR:L/UI:N/S:C/C:L/I:L/A:N',
  },
  {
    ...{ slug: 'woocommerce', name: 'WooCommerce', fixed: '10.2.0' },
    summary: 'Demo: orders of others can be read',
    vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N',
  },
  {
    ...{ slug: 'redirection', name: 'Redirection', fixed: '5.5.2' },
    summary: 'Demo: a log shows more than it should',
    vector: 'CVSS:3.1/AV:N/AC:H/PR:H/UI:N/S:U/C:L/I:N/A:N',
  },
];

const record = ({ slug, name, fixed, summary, vector }: DemoAdvisory, index: number) => ({
  schema_version: '1.9.0',
  id: `DEMO-2026-${index + 1}`,
  published: '2026-11-20T06:02:11Z',
  modified: '2026-11-20T06:02:11Z',
  summary,
  details: `${summary}. This record was made up for the demo.`,
  severity: [{ type: 'CVSS_V3', score: vector }],
  affected: [
    {
      package: { ecosystem: 'WordPress:Plugin', name: slug },
      ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed }] }],
      database_specific: { name },
    },
  ],
});

/** Creates a folder with a feed in the OSV schema. */
export async function demoFeedDir(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sitefleet-demo-feeds-'));
  await writeFile(join(folder, FILE), JSON.stringify(ADVISORIES.map(record), null, 2));
  return folder;
}

/** Makes the service read the feed, so that the demo shows exposures. */
export async function demoVulnerabilities({ services }: Container): Promise<void> {
  await services.settings.settings.edit('vulnerabilities', { osv_sources: [FILE] }, 'demo');
  await services.schedules.schedules.run('vulnerability-refresh', 'demo');
}
