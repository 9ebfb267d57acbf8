/**
 * Baseline of a refresh: `bare-refresh.ts <feed> <sites>` parses a feed and writes a row for each record, version and
 * exposure, on the database of its environment. Prints the milliseconds of the parsing and of the whole run, and the
 * number of exposures.
 */
import { readFile } from 'node:fs/promises';
import { createBaseServices } from '../../src/platform/base-services.ts';
import { readConfig } from '../../src/platform/config.ts';
import { isAffected } from '../../src/domains/vulnerabilities/versions.ts';
import { readWordfence } from '../../src/domains/vulnerabilities/feeds/wordfence.ts';
import { installedPluginsOf } from './feed.ts';

const RECORDS_AT_ONCE = 50;
const [file = '', sites = '0'] = process.argv.slice(2);
const base = await createBaseServices(readConfig({ ...process.env, LOG_LEVEL: 'silent' }));
const { knex } = base.database;
await knex.schema.createTable('bare_records', (table) => {
  table.bigIncrements('id');
  table.string('external_id', 190).unique();
  table.text('body', 'mediumtext');
});
await knex.schema.createTable('bare_versions', (table) => {
  table.bigIncrements('id');
  table.bigInteger('record');
  table.string('slug', 190).index();
  table.text('ranges');
});
await knex.schema.createTable('bare_exposures', (table) => {
  table.bigIncrements('id');
  table.integer('site_id').index();
  table.string('external_id', 190);
  table.string('version', 64);
});
const installed = Array.from({ length: Number(sites) }, (_, index) => installedPluginsOf(index + 1));

const began = performance.now();
const feed = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
const parsed = performance.now() - began;
const records = Object.entries(feed).flatMap(([id, value]) => readWordfence(id, value) ?? []);
const bySlug = new Map<string, (typeof records)[number][]>();
for (let start = 0; start < records.length; start += RECORDS_AT_ONCE) {
  const some = records.slice(start, start + RECORDS_AT_ONCE);
  await knex.transaction(async (trx) => {
    await trx('bare_records').insert(
      some.map((record) => ({ external_id: record.externalId, body: JSON.stringify(record) })),
    );
    await trx('bare_versions').insert(
      some.flatMap(({ affected }, place) =>
        affected.map(({ slug, ranges }) => ({ record: start + place, slug, ranges: JSON.stringify(ranges) })),
      ),
    );
  });
  for (const record of some)
    for (const { slug } of record.affected) bySlug.set(slug, [...(bySlug.get(slug) ?? []), record]);
}
const exposures = installed.flatMap((plugins, site) =>
  plugins.flatMap(({ slug, version }) =>
    (bySlug.get(slug) ?? [])
      .filter(({ affected }) => affected.some(({ ranges }) => isAffected(version, ranges)))
      .map(({ externalId }) => ({ site_id: site + 1, external_id: externalId, version })),
  ),
);
for (let start = 0; start < exposures.length; start += RECORDS_AT_ONCE)
  await knex.transaction((trx) => trx('bare_exposures').insert(exposures.slice(start, start + RECORDS_AT_ONCE)));
console.log(JSON.stringify({ parsed, whole: performance.now() - began, exposures: exposures.length }));
for (const table of ['bare_records', 'bare_versions', 'bare_exposures']) await knex.schema.dropTable(table);
await base.close();
