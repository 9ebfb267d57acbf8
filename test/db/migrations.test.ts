import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { Knex } from 'knex';
import { databaseReport } from '../../scripts/contract/database-report.ts';
import { migrateDown, migrateUp, MIGRATIONS, migrationStatus } from '../../src/db/migrations/index.ts';
import { withFreshDatabase } from '../support/database.ts';
import { tablesOf } from '../support/linked-rows.ts';

/** Returns tables and columns with their nullability, as lines that can be compared. */
async function schemaOf(knex: Knex): Promise<string[]> {
  const lines: string[] = [];
  for (const table of await tablesOf(knex)) {
    const columns = await knex(table).columnInfo();
    for (const [name, { nullable }] of Object.entries(columns))
      lines.push(`${table}.${name} ${nullable ? 'null' : 'not null'}`);
  }
  return lines;
}

const SITE = {
  id: 1,
  url: 'https://a.example/',
  url_key: 'a.example',
  name: 'A',
  name_key: 'a',
  status: 'connected',
};

describe('migrations', () => {
  let knex: Knex;
  withFreshDatabase(({ database }) => (knex = database.knex));

  it('when migrations are listed, then their names are unique and in order', () => {
    const names = MIGRATIONS.map(({ name }) => name);
    for (const [index, name] of names.entries()) {
      const before = names[index - 1] ?? '';
      assert.ok(name > before, `${name} must sort after ${before}: rename it to a later time, or list it earlier.`);
    }
    for (const name of names) assert.match(name, /^\d{8}T\d{4}_[a-z_]+$/);
  });

  it('when all migrations go down and up again, then the schema is the same', async () => {
    const before = await schemaOf(knex);
    assert.ok(before.length > 100);
    for (const { name } of [...MIGRATIONS].reverse()) assert.deepEqual(await migrateDown(knex), [name]);
    assert.deepEqual(await tablesOf(knex), []);
    assert.deepEqual(await migrateDown(knex), [], 'there is nothing below nothing');
    assert.ok((await migrationStatus(knex)).every(({ applied }) => !applied));
    assert.deepEqual(
      await migrateUp(knex),
      MIGRATIONS.map(({ name }) => name),
    );
    assert.deepEqual(await schemaOf(knex), before);
    assert.deepEqual(await migrateUp(knex), [], 'a second time finds nothing to do');
    assert.ok((await migrationStatus(knex)).every(({ applied }) => applied));
  });

  it('when the newest migration goes down and up again, then data of older migrations is kept', async () => {
    await knex('users').insert({ name: 'Ann', name_key: 'ann', role: 'administrator', enabled: 1, created_at: 1 });
    const tag = { name: 'Shops', name_key: 'shops', created_at: 1, updated_at: 1 };
    await knex('tags').insert(tag);
    const [down] = await migrateDown(knex);
    assert.equal(down, MIGRATIONS.at(-1)?.name);
    assert.deepEqual(
      (await migrationStatus(knex)).filter(({ applied }) => !applied).map(({ name }) => name),
      [down],
    );
    assert.deepEqual(await migrateUp(knex), [down]);
    assert.deepEqual(await knex('users').pluck('name'), ['Ann']);
    assert.deepEqual(await knex('tags').pluck('name'), ['Shops']);
  });

  it('when costs exist, then the migration adds their sort key', async () => {
    while ((await migrateDown(knex))[0] !== '20261121T1620_extend_costs');
    const cost = {
      type: 'subscription',
      product_type: 'other',
      license_type: 'single_site',
      status: 'active',
      note: '',
    };
    const rest = { payment_method: 'cash', price_minor: 1, renewal_type: 'monthly', created_at: 1, updated_at: 1 };
    for (let n = 0; n < 501; n++) await knex('costs').insert({ ...cost, ...rest, name: `HÔTE ${n}` });
    await migrateUp(knex);
    const keys = await knex('costs').orderBy('id').pluck<string[]>('name_key');
    assert.deepEqual(
      keys,
      Array.from({ length: 501 }, (_, n) => `hôte ${n}`),
    );
  });

  it('when changes exist, then the migration renames their types to one form and adds the second to child IDs', async () => {
    while ((await migrateDown(knex))[0] !== '20261122T0310_spell_changes_one_way');
    const times = { created_at: 1, updated_at: 1 };
    await knex('sites').insert({ ...SITE, ...times });
    const row = { site_id: 1, description: '', actor: '', at: 1_795_306_216_000 };
    const rows = [
      ['child_actions', '17', 'plugins.deactivated', 'plugin.deactivated', '17'],
      ['child_actions', '18', 'themes.deleted', 'theme.deleted', '18'],
      ['child_actions', '19', 'wordpress.updated', 'wordpress.updated', '19'],
      ['child_changes', '20', 'system-setting.modified', 'system_setting.updated', '20.1795306216'],
      ['child_changes', '21', 'user.logged-in', 'user.logged_in', '21.1795306216'],
      ['child_changes', '22', 'plugin.activated', 'plugin.activated', '22.1795306216'],
      ['dashboard', null, 'core.updated', 'wordpress.updated', null],
      ['dashboard', null, 'plugin.updated', 'plugin.updated', null],
    ] as const;
    for (const [source, external_id, type] of rows) await knex('changes').insert({ ...row, source, external_id, type });
    await migrateUp(knex);
    const after = await knex('changes').orderBy('id').select('type', 'external_id');
    assert.deepEqual(
      after.map(({ type, external_id }) => [type, external_id]),
      rows.map(([, , , type, id]) => [type, id]),
    );
    while ((await migrateDown(knex))[0] !== '20261122T0310_spell_changes_one_way');
    assert.deepEqual(
      await knex('changes').whereNotNull('external_id').orderBy('id').pluck('external_id'),
      rows.flatMap(([, id]) => (id === null ? [] : [id])),
    );
    await migrateUp(knex);
  });

  it('when changes and counts have broader types, then the migration splits them and deletes duplicates', async () => {
    while ((await migrateDown(knex))[0] !== '20261122T1505_tell_changes_apart');
    await knex('sites').insert({ ...SITE, created_at: 1, updated_at: 1 });
    const row = { site_id: 1, source: 'child_changes', description: '', actor: '', object_key: null, old_values: null };
    const rows: [type: string, renamed: string | null, over: object][] = [
      ['file.updated', 'plugin.edited', { description: 'File updated: a file of a plugin' }],
      ['file.updated', 'theme.edited', { description: 'File updated: a file of a theme' }],
      ['file.updated', 'file.updated', { description: 'File "a.png" updated' }],
      ['comment.updated', 'comment.edited', {}],
      ['comment.updated', 'comment.updated', { source: 'dashboard' }],
      ['menu.enabled', 'menu.updated', {}],
      ['user.updated', 'user.connection_changed', { description: 'User "a" updated: connection of the child plugin' }],
      ['user.role_changed', 'user.role_given', {}],
      ['user.role_changed', 'user.role_changed', { old_values: '{"role":"editor"}' }],
      ['page.updated', 'page.taken_over', { description: 'Page "a" updated: taken over from another editor' }],
      ['post.published', 'post.created', { object_key: '5' }],
      ['post.published', 'post.published', { object_key: '5' }],
      ['post.created', 'post.created', { object_key: '6', source: 'dashboard' }],
      ['post.published', 'post.published', { object_key: '6' }],
      ['wordpress.updated', null, { source: 'child_actions', at: 30_000 }],
      ['wordpress.updated', 'wordpress.updated', { at: 1000 }],
      ...Array.from({ length: 501 }, (_, n): [string, string, object] => ['menu.disabled', 'menu.updated', { at: n }]),
    ];
    const inserted = rows.map(([type, , over], n) => ({ ...row, type, at: n, ...over }));
    for (let n = 0; n < inserted.length; n += 100) await knex('changes').insert(inserted.slice(n, n + 100));
    const count = { site_id: 1, month: 0, source: 'child_changes' };
    await knex('change_counts').insert({ ...count, type: 'menu.enabled', count: 2 });
    await knex('change_counts').insert({ ...count, type: 'menu.updated', count: 40 });
    await knex('change_counts').insert({ ...count, type: 'comment.updated', count: 7 });
    await migrateUp(knex);
    assert.deepEqual(
      await knex('changes').orderBy('id').pluck('type'),
      rows.flatMap(([, renamed]) => renamed ?? []),
    );
    const counts = await knex('change_counts').orderBy('type').select('type', 'count');
    assert.deepEqual(
      counts.map(({ type, count }) => [type, count]),
      [
        ['comment.edited', 7],
        ['menu.updated', 42],
      ],
    );
    while ((await migrateDown(knex))[0] !== '20261122T1505_tell_changes_apart');
    assert.deepEqual(await knex('changes').orderBy('id').limit(4).pluck('type'), [
      ...['file.updated', 'file.updated', 'file.updated', 'comment.updated'],
    ]);
    await migrateUp(knex);
  });

  it('when the days of abandoned items are set, then the migration moves the value to the general settings, and back', async () => {
    const names = () => knex('settings').pluck('name');
    while ((await migrateDown(knex))[0] !== '20261122T0835_move_days_of_abandoned');
    await knex('settings').insert({ name: 'advanced.numberdays_outdate_plugin_theme', value: '30', updated_at: 1 });
    await migrateUp(knex);
    assert.deepEqual(await names(), ['general.numberdays_outdate_plugin_theme']);
    while ((await migrateDown(knex))[0] !== '20261122T0835_move_days_of_abandoned');
    assert.deepEqual(await names(), ['advanced.numberdays_outdate_plugin_theme']);
    await migrateUp(knex);
  });

  it('when costs name product types and payment methods, then the migration creates these options', async () => {
    while ((await migrateDown(knex))[0] !== '20261122T0945_create_cost_options');
    const cost = { name: 'X', name_key: 'x', type: 'subscription', license_type: 'single_site', status: 'active' };
    const rest = { note: '', price_minor: 1, renewal_type: 'monthly', created_at: 1, updated_at: 1 };
    for (const [product_type, payment_method] of [
      ['plugin', 'card'],
      ['licences', 'card'],
      ['licences', 'cash'],
    ])
      await knex('costs').insert({ ...cost, ...rest, product_type, payment_method });
    await migrateUp(knex);
    const added = await knex('cost_options').where({ built_in: 0 }).orderBy('slug').select('kind', 'slug', 'title');
    assert.deepEqual(
      added.map(({ kind, slug, title }) => [kind, slug, title]),
      [
        ['payment_method', 'card', 'card'],
        ['product_type', 'licences', 'licences'],
      ],
    );
  });

  it('when a record names a software twice, then the migration merges its rows', async () => {
    while ((await migrateDown(knex))[0] !== '20261124T1330_merge_affected_software');
    await knex('vulnerability_feeds').insert({ id: 1, kind: 'osv', location: 'a', feed_key: 'a' });
    const texts = { title: '', description: '', severity: 0, cvss_vector: '', details: '{}', hash: '' };
    await knex('vulnerabilities').insert({ id: 1, feed_id: 1, external_id: 'a', ...texts });
    const row = { vulnerability_id: 1, type: 'plugin', slug: 'a', name: 'A', patched: '["2"]', born_in: 1 };
    await knex('vulnerable_versions').insert({ ...row, ranges: '[{"to":"1"}]' });
    await knex('vulnerable_versions').insert({ ...row, ranges: '[{"to":"2"}]', patched: '["2","3"]' });
    await knex('vulnerable_versions').insert({ ...row, ranges: '[{"to":"3"}]', type: 'theme' });
    await knex('vulnerable_versions').insert({ ...row, ranges: '[{"to":"4"}]', born_in: 0, gone_in: 1 });
    await migrateUp(knex);
    const after = await knex('vulnerable_versions').orderBy('id').select('type', 'ranges', 'patched', 'born_in');
    assert.deepEqual(
      after.map(({ type, ranges, patched, born_in }) => [type, ranges, patched, born_in]),
      [
        ['plugin', '[{"to":"1"},{"to":"2"}]', '["2","3"]', 1],
        ['theme', '[{"to":"3"}]', '["2"]', 1],
        ['plugin', '[{"to":"4"}]', '["2"]', 0],
      ],
    );
    await assert.rejects(knex('vulnerable_versions').insert({ ...row, ranges: '[]' }));
  });

  it('when a plugin and a theme of one name are exposed, then the migration keeps both, and only one on the way down', async () => {
    await knex('sites').insert({ ...SITE, created_at: 1, updated_at: 1 });
    await knex('vulnerability_feeds').insert({ id: 1, kind: 'osv', location: 'a', feed_key: 'a' });
    const texts = { title: '', description: '', severity: 0, cvss_vector: '', details: '{}', hash: '' };
    await knex('vulnerabilities').insert({ id: 1, feed_id: 1, external_id: 'a', ...texts });
    const exposure = { site_id: 1, vulnerability_id: 1, item: 'a', slug: 'a', name: 'A', version: '1', severity: 0 };
    for (const type of ['plugin', 'theme'])
      await knex('exposures').insert({ ...exposure, type, since: 1, found_at: 1, lasting: 1 });
    while ((await migrateDown(knex))[0] !== '20261124T1330_merge_affected_software');
    assert.deepEqual(await knex('exposures').pluck('type'), ['plugin']);
    await migrateUp(knex);
  });

  it('when software is compared in another way, then the migration makes syncs and feeds compare it again', async () => {
    while ((await migrateDown(knex))[0] !== '20261124T1335_compare_software_again');
    await knex('sites').insert({ ...SITE, created_at: 1, updated_at: 1 });
    const hashes = { core: 'a', installed: 'b', plugins: 'c', '*': 'd' };
    const state = { notes: '', admin_username: 'admin', section_hashes: JSON.stringify(hashes) };
    await knex('site_states').insert({ site_id: 1, ...state });
    await knex('vulnerability_feeds').insert({ id: 1, kind: 'osv', location: 'a', feed_key: 'a' });
    const texts = { title: '', description: '', severity: 0, cvss_vector: '', details: '{}', hash: '' };
    for (const id of [1, 2]) {
      await knex('vulnerabilities').insert({ id, feed_id: 1, external_id: String(id), ...texts });
      const software = { vulnerability_id: id, type: 'plugin', slug: 'a', name: 'A', ranges: '[]', patched: '[]' };
      await knex('vulnerable_versions').insert(software);
    }
    await migrateUp(knex);
    assert.deepEqual(await knex('site_states').pluck('section_hashes'), ['{"core":"a","plugins":"c"}']);
    assert.deepEqual(await knex('vulnerability_matches_due').select('type', 'slug', 'feed_id'), [
      { type: 'plugin', slug: 'a', feed_id: null },
    ]);
  });

  it('when names have two spellings in Unicode, then the migration keeps both rows and renames the younger one', async () => {
    while ((await migrateDown(knex))[0] !== '20261124T1340_compose_names');
    const [composed, decomposed] = ['Caf\u00e9', 'Cafe\u0301'];
    const at = (created_at: number) => ({ created_at, updated_at: 1 });
    const named = (name: string, created: number) => ({ name, name_key: name.toLowerCase(), ...at(created) });
    // The younger spelling has the lower ID, and the number 2 is taken.
    const tags = [named(composed, 9), named(decomposed, 5), named(`${decomposed} (2)`, 1), named('Shops', 1)];
    for (const [index, tag] of tags.entries()) await knex('tags').insert({ id: index + 1, ...tag });
    for (const name of [decomposed, composed])
      await knex('client_fields').insert({ description: '', ...named(name, 5) });
    const option = (slug: string, title: string, built_in: number) => ({
      ...{ kind: 'product_type', slug, title, title_key: title.toLowerCase(), built_in, ...at(built_in) },
    });
    await knex('cost_options').insert(option('own', composed, 0));
    await knex('cost_options').insert(option('standard', decomposed, 1));
    await knex('cost_options').insert({ ...option('own', decomposed, 0), kind: 'payment_method' });
    for (const name of [decomposed, composed])
      await knex('clients').insert({ note: '', status: 'active', ...named(name, 1) });
    const told: string[] = [];
    await migrateUp(knex, (message) => told.push(message));
    const namesOf = async (table: string, column = 'name'): Promise<string[]> => {
      const rows = await knex(table).orderBy('created_at').orderBy('id').select(column, `${column}_key`);
      return rows.map((row: Record<string, string>) => `${row[column]} = ${row[`${column}_key`]}`);
    };
    const same = 'Caf\u00e9 = caf\u00e9';
    assert.deepEqual(await knex('tags').orderBy('id').pluck('name'), [
      ...['Caf\u00e9 (3)', 'Caf\u00e9', 'Caf\u00e9 (2)', 'Shops'],
    ]);
    assert.deepEqual(await namesOf('client_fields'), [same, 'Caf\u00e9 (2) = caf\u00e9 (2)']);
    assert.deepEqual(await namesOf('clients'), [same, same]);
    const options = await knex('cost_options')
      .whereIn('slug', ['own', 'standard'])
      .orderBy(['kind', 'slug'])
      .pluck('title');
    assert.deepEqual(options, ['Caf\u00e9', 'Caf\u00e9 (2)', 'Caf\u00e9']);
    assert.equal(told.length, 3);
    assert.match(
      told[0] ?? '',
      /^The tag "Caf\u00e9" \(1\) has the name of an older one .* now named "Caf\u00e9 \(3\)"\.$/,
    );
    await migrateDown(knex);
    await migrateDown(knex);
    await migrateUp(knex, assert.fail);
  });

  it('when sites have international domains, then the migration names them in Unicode', async () => {
    while ((await migrateDown(knex))[0] !== '20261124T1345_name_international_sites');
    const site = (host: string, name: string, path = '') => ({
      ...{
        url: `https://${host}${path}/`,
        url_key: `${host.replace('www.', '')}${path}`,
        name,
        name_key: name.toLowerCase(),
      },
      ...{ status: 'connected', created_at: 1, updated_at: 1 },
    });
    await knex('sites').insert(site('xn--bcher-kva.example', 'xn--bcher-kva.example'));
    await knex('sites').insert(site('www.xn--bcher-kva.example:81', 'www.xn--bcher-kva.example:81/shop', '/shop'));
    await knex('sites').insert(site('xn--mller-kva.example', 'Laden'));
    await knex('sites').insert(site('plain.example', 'xn--bcher-kva.example'));
    await migrateUp(knex);
    const rows = await knex('sites').orderBy('id').select('name', 'name_key');
    assert.deepEqual(
      rows.map(({ name, name_key }) => [name, name_key]),
      [
        ['b\u00fccher.example', 'b\u00fccher.example'],
        ['www.b\u00fccher.example:81/shop', 'www.b\u00fccher.example:81/shop'],
        ['Laden', 'laden m\u00fcller.example'],
        ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
      ],
    );
  });

  it('when a domain was not found or has an alert, then the migration stores the state and the date of the alert', async () => {
    while ((await migrateDown(knex))[0] !== '20261128T0610_judge_domain_dates');
    const site = { ...SITE, created_at: 1, updated_at: 1 };
    await knex('sites').insert([site, { ...site, id: 2, url: 'https://b.example/', url_key: 'b.example' }]);
    await knex('domains').insert([
      { name: 'a.example', condition_code: 'registered', expires_at: 1_800_000_000_000 },
      { name: 'b.example', condition_code: 'lookup_failed', error_code: 'not_found' },
    ]);
    await knex('site_domains').insert([
      { site_id: 1, domain: 'a.example', told_state: 'expiring' },
      { site_id: 2, domain: 'b.example', manual: '{}', manual_expires_at: 1_700_000_000_000, told_state: 'expired' },
    ]);
    await migrateUp(knex);
    const dates = await knex('site_domains').orderBy('site_id').pluck<(number | string)[]>('told_expires_at');
    assert.deepEqual(dates.map(Number), [1_800_000_000_000, 1_700_000_000_000]);
    const conditions = (): Promise<string[]> => knex('domains').orderBy('name').pluck<string[]>('condition_code');
    assert.deepEqual(await conditions(), ['registered', 'not_found']);
    while ((await migrateDown(knex))[0] !== '20261128T0610_judge_domain_dates');
    assert.deepEqual(await conditions(), ['registered', 'lookup_failed']);
    await migrateUp(knex);
    await knex('sites').delete();
    await knex('domains').delete();
  });

  it('when costs and alerts of costs exist, then the migration keeps their prices', async () => {
    while ((await migrateDown(knex))[0] !== '20261128T0810_keep_price_digits');
    const cost = { name: 'A', type: 'subscription', product_type: 'other', license_type: 'single_site', note: '' };
    const rest = { status: 'active', payment_method: 'cash', renewal_type: 'monthly', created_at: 1, updated_at: 1 };
    const minors = [0, 7, 2990, 99_999_999_999];
    for (const price_minor of minors) await knex('costs').insert({ ...cost, ...rest, price_minor });
    const alert = { type: 'cost_tracker_noti_email', site: 'null', raised_at: 1 };
    for (let n = 0; n < 501; n++)
      await knex('alerts').insert({
        ...alert,
        alert_key: `${n}`,
        facts: JSON.stringify({ costId: n, priceMinor: 2990 }),
      });
    const facts = () => knex('alerts').orderBy('id').pluck<string[]>('facts');
    const before = await facts();
    await migrateUp(knex);
    const units = await knex('costs').orderBy('id').pluck<(number | string)[]>('price_units');
    assert.deepEqual(units.map(Number), [0, 70_000, 29_900_000, 999_999_999_990_000]);
    assert.deepEqual(JSON.parse((await facts())[500] ?? ''), { costId: 500, price: 29.9 });
    await knex('costs').where({ price_units: 70_000 }).update({ price_units: 75_000 });
    while ((await migrateDown(knex))[0] !== '20261128T0810_keep_price_digits');
    const back = await knex('costs').orderBy('id').pluck<(number | string)[]>('price_minor');
    assert.deepEqual(back.map(Number), [0, 8, 2990, 99_999_999_999]);
    assert.deepEqual(await facts(), before);
    await migrateUp(knex);
    await knex('costs').delete();
    await knex('alerts').delete();
  });

  it('when processes start at the same time, then each migration is applied once', async () => {
    for (const _ of MIGRATIONS) await migrateDown(knex);
    const applied = await Promise.all([migrateUp(knex), migrateUp(knex), migrateUp(knex)]);
    assert.deepEqual(
      applied.flat().sort(),
      MIGRATIONS.map(({ name }) => name),
    );
  });

  it('when all migrations are applied, then the schema equals generated/database.md', async () => {
    const report = await databaseReport();
    assert.equal(await readFile('generated/database.md', 'utf8'), report);
    const reported: string[] = [];
    let table = '';
    for (const line of report.split('\n')) {
      const heading = /^## (\w+)$/.exec(line)?.[1];
      if (heading) table = heading;
      const [, column, nullable] = /^\| (\w+) \| [^|]* \| (yes|no) \|/.exec(line) ?? [];
      if (column) reported.push(`${table}.${column} ${nullable === 'yes' ? 'null' : 'not null'}`);
    }
    // SQLite allows null in primary key columns, so the names are compared first without nullability.
    const keyless = (lines: string[]): string[] => lines.map((line) => line.split(' ')[0] ?? '').sort();
    assert.deepEqual(keyless(await schemaOf(knex)), keyless(reported));
    const required = (lines: string[]): string[] => lines.filter((line) => line.endsWith('not null'));
    const here = new Set(required(await schemaOf(knex)));
    for (const line of required(reported)) assert.ok(here.has(line), line);
  });

  it('when a parent row is deleted, then foreign keys delete or clear its child rows', async () => {
    const times = { created_at: 1, updated_at: 1 };
    await knex('clients').insert({ id: 1, name: 'A', name_key: 'a', note: '', status: 'active', ...times });
    await knex('sites').insert({ ...SITE, client_id: 1, ...times });
    await knex('tags').insert({ id: 1, name: 'T', name_key: 't', ...times });
    await knex('site_tags').insert({ tag_id: 1, site_id: 1, site_key: 'a.example' });
    await knex('clients').where({ id: 1 }).delete();
    assert.deepEqual(await knex('sites').pluck('client_id'), [null]);
    await knex('sites').where({ id: 1 }).delete();
    assert.deepEqual(await knex('site_tags').select(), []);
    assert.deepEqual(await knex('tags').pluck('id'), [1]);
  });

  it('when texts are compared, then the comparison is byte by byte', async () => {
    const tag = { created_at: 1, updated_at: 1 };
    for (const name of ['shop', 'SHOP', 'shöp', 'shop '])
      await knex('tags').insert({ ...tag, name, name_key: `${name}|` });
    assert.deepEqual(await knex('tags').where({ name: 'shop' }).orderBy('id').limit(1).pluck('name_key'), ['shop|']);
    assert.deepEqual(await knex('tags').where({ name: 'SHOP' }).pluck('name_key'), ['SHOP|']);
    assert.deepEqual(await knex('tags').where({ name: 'shöp' }).pluck('name_key'), ['shöp|']);
  });
});
