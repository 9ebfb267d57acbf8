import { once } from 'node:events';
import { createWriteStream } from 'node:fs';

/** Number of plugins in a feed, and on a site. */
const SLUGS = 12_000;
const PLUGINS_PER_SITE = 22;
/** About the size of a description by Wordfence. */
const DESCRIPTION = 'The plugin does not escape what visitors send before it is shown to others. '.repeat(12);

/** Returns pseudo-random numbers that are the same in each run. */
function seededRandom(seed: number): number {
  const mixed = Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d);
  return ((mixed ^ (mixed >>> 12)) >>> 0) / 2 ** 32;
}

const slugOf = (index: number): string => `plugin-${index}`;

/** Returns the plugins of a site, some common and some rare. Three in a hundred are vulnerable. */
export function installedPluginsOf(site: number): { slug: string; version: string }[] {
  const versions = new Map<string, string>();
  for (let place = 1; versions.size < PLUGINS_PER_SITE; place++) {
    const slug = slugOf(Math.floor(SLUGS * seededRandom(site * 7919 + place * 104_729) ** 3));
    versions.set(slug, `5.${Math.floor(100 * seededRandom(site * 31 + place * 15_485_863))}`);
  }
  return [...versions].map(([slug, version]) => ({ slug, version }));
}

/**
 * Returns a record in the format of Wordfence. The first record of a plugin affects versions that sites have, and later
 * records affect older versions.
 */
function recordOf(index: number, edition: number): Record<string, unknown> {
  const id = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
  const upTo = index < SLUGS ? '5.2' : `${2 + (index % 3)}.0`;
  const slug = slugOf(index % SLUGS);
  const range = { from_version: '*', from_inclusive: true, to_version: upTo, to_inclusive: true };
  return {
    id,
    title: `${slug} <= ${upTo} - Stored Cross-Site Scripting`,
    software: [
      {
        ...{ type: 'plugin', name: slug, slug, affected_versions: { [`* - ${upTo}`]: range } },
        ...{ patched: true, patched_versions: [`${upTo}.1`] },
      },
    ],
    informational: false,
    description: `${DESCRIPTION}${index % 100 === 0 ? `Edition ${edition}.` : ''}`,
    references: [`https://www.wordfence.com/threat-intel/vulnerabilities/id/${id}`],
    cvss: { vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:L/I:L/A:N', score: 4 + (index % 60) / 10 },
    cve: `CVE-2026-${10_000 + index}`,
    published: '2026-11-20 06:02:11',
    updated: '2026-11-21 10:00:00',
    copyrights: { defiant: { notice: 'Copyright 2012-2026 Defiant Inc.', license: 'Reproduce.', license_url: '' } },
  };
}

/** Writes a feed. One record in a hundred differs between two editions. */
export async function writeFeed(file: string, edition: number, records: number): Promise<void> {
  const out = createWriteStream(file);
  for (let index = 0; index < records; index++) {
    const record = recordOf(index, edition);
    const line = `${index === 0 ? '{' : ','}${JSON.stringify(record['id'])}:${JSON.stringify(record)}\n`;
    if (!out.write(line)) await once(out, 'drain');
  }
  out.end('}');
  await once(out, 'finish');
}
