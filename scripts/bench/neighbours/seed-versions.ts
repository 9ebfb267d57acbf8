import type { Knex } from 'knex';
import { feedKey } from '../../../src/domains/vulnerabilities/feeds/feed.ts';
import { DAY } from '../../../src/shared/clock.ts';
import { insertRows } from './insert-rows.ts';
import * as scale from './scale.ts';

const VULNERABILITIES = 2_000;
const EXPOSURES_A_SITE = 20;
/** Number of records that the sites are exposed to. They fill a page of the list. */
const EXPOSED_RECORDS = 50;

/** Inserts what the service knows about versions: pins, packages, vulnerabilities with exposed sites, and fixes. */
export async function seedVersions(knex: Knex, now: number): Promise<void> {
  await seedPins(knex, now);
  await seedPackages(knex, now);
  await seedVulnerabilities(knex, now);
  await seedFixes(knex, now);
}

/** Each site has one pin, with the ID of the site. */
async function seedPins(knex: Knex, now: number): Promise<void> {
  const urlKeys = await knex('sites').orderBy('id').pluck<string[]>('url_key');
  await insertRows(knex, 'version_pins', scale.SITES, (at) => ({
    ...{ id: at + 1, site_id: at + 1, site_key: urlKeys[at], type: 'plugin', slug: 'plugin-0/plugin-0.php' },
    ...{ name: 'Plugin 0', version: '<2', note: 'A note.', auto_update: 'off', created_by: 'admin' },
    ...{ tried_at: now, created_at: now, updated_at: now },
  }));
}

async function seedPackages(knex: Knex, now: number): Promise<void> {
  await insertRows(knex, 'packages', scale.PACKAGES, (at) => {
    const sha256 = String(at).padStart(64, '0');
    return {
      ...{ id: at + 1, kind: 'plugin', slug: `plugin-${at}`, version: '1.0', name: `Plugin ${at}`, sha256 },
      ...{ main_file: `plugin-${at}.php`, source: 'directory', address: '', source_sha256: sha256 },
      ...{ size: 100_000, unpacked_size: 400_000, file_count: 100, created_at: now, last_used_at: now },
    };
  });
}

async function seedVulnerabilities(knex: Knex, now: number): Promise<void> {
  const feed = { kind: 'osv', location: 'https://feed.bench.example/osv.zip' } as const;
  await knex('vulnerability_feeds').insert({ id: 1, ...feed, feed_key: feedKey(feed), generation: 1 });
  // The records of other feeds are deleted.
  const sources = JSON.stringify([feed.location]);
  await knex('settings').insert({ name: 'vulnerabilities.osv_sources', value: sources, updated_at: now });
  const range = { from: '*', fromInclusive: true, to: '1.1', toInclusive: false };
  await insertRows(knex, 'vulnerabilities', VULNERABILITIES, (at) => ({
    ...{ id: at + 1, feed_id: 1, external_id: `bench-${at}`, title: `Vulnerability ${at}`, severity: 1 + (at % 4) },
    ...{ description: 'What an attacker can do. '.repeat(20), cvss: 50, cvss_vector: '', hash: '' },
    ...{ published_at: now, modified_at: now, details: JSON.stringify({ references: [], notices: [] }) },
  }));
  await insertRows(knex, 'vulnerable_versions', VULNERABILITIES, (at) => ({
    ...{ vulnerability_id: at + 1, type: 'plugin', slug: `plugin-${at % 20}`, name: `Plugin ${at % 20}`, born_in: 1 },
    ...{ ranges: JSON.stringify([range]), patched: JSON.stringify(['1.1']) },
  }));
  await insertRows(knex, 'exposures', scale.SITES * EXPOSURES_A_SITE, (index) => {
    const record = index % EXPOSED_RECORDS;
    const slug = `plugin-${record % 20}`;
    return {
      ...{ site_id: Math.floor(index / EXPOSURES_A_SITE) + 1, vulnerability_id: record + 1, type: 'plugin' },
      ...{ item: `${slug}/${slug}.php`, slug, name: `Plugin ${record % 20}`, version: '1.0', fixed_in: '1.1' },
      ...{ severity: 1 + (record % 4), since: now - DAY, found_at: now - DAY, fix_known_at: now - DAY, lasting: 1 },
    };
  });
}

/** Each site has one fix, with the ID of the site. */
async function seedFixes(knex: Knex, now: number): Promise<void> {
  await insertRows(knex, 'vulnerability_fixes', scale.SITES, (at) => ({
    ...{ id: at + 1, site_id: at + 1, type: 'plugin', item: 'plugin-19/plugin-19.php', slug: 'plugin-19' },
    ...{ name: 'Plugin 19', action: 'update', old_version: '0.9', new_version: '1.0', severity: 4, closes: '[1]' },
    ...{ state: 'done', blocks: 0, put_back: 0, attempts: 1, created_at: now - DAY, looked_at: now - DAY },
    ...{ started_at: now - DAY, ended_at: now - DAY },
  }));
}
