import assert from 'node:assert/strict';
import { ALL_SITES } from '../../../src/shared/site-scope.ts';
import { parse } from 'csv-parse/sync';
import { readCsv } from '../../support/pro-reports.ts';
import { storeSite } from '../../support/sites.ts';
import { startWorld, type World } from '../../support/world.ts';

const LETTERS = 'x'.repeat(10_000);
/** Plugin names that a site could have, and the expected cells. */
const HOSTILE: Record<string, string> = {
  '=HYPERLINK("http://evil.test","Click")': `'=HYPERLINK("http://evil.test","Click")`,
  '+1+cmd|calc': `'+1+cmd|calc`,
  '-2+3': `'-2+3`,
  '@SUM(A1)': `'@SUM(A1)`,
  '\t=1+1': `' =1+1`,
  '  =1+1': `'  =1+1`,
  '＝1+1': `'＝1+1`,
  'one\r\ntwo,"three"': 'one  two,"three"',
  'bell\u0007 and escape\u001b[31m': 'bell  and escape [31m',
  '<script>alert(1)</script>': '<script>alert(1)</script>',
  مرحبا: 'مرحبا',
};
const ENTRIES = 100_000;
const COPIES = 100;
const BEGIN = Date.parse('2026-11-02T00:00:00Z');

describe('reports as CSV', () => {
  let world: World;
  let id: number;
  before(async () => {
    world = await startWorld();
    id = await storeSite(world.container.knex, 'shop.example');
  });
  after(() => world.close());

  const store = async (names: readonly string[]): Promise<void> => {
    const { knex } = world.container;
    await knex('changes').where({ site_id: id }).delete();
    const rows = names.map((name, index) => ({
      ...{ site_id: id, source: 'child_changes', external_id: String(index), type: 'plugin.updated' },
      ...{ description: '', actor: name.slice(0, 200), at: BEGIN + index * 1000, object_name: name.slice(0, 255) },
      ...{ object_key: 'a/a.php', old_values: null, new_values: JSON.stringify({ version: '1.1' }) },
    }));
    await knex.transaction(async (trx) => {
      for (let start = 0; start < rows.length; start += 500)
        await trx('changes').insert(rows.slice(start, start + 500));
    });
  };

  /** Copies the stored entries 99 times, each copy later than the one before. */
  const copy = async (): Promise<void> => {
    const columns = 'site_id, source, type, description, actor, object_name, object_key, old_values, new_values';
    const numbers = Array.from({ length: COPIES - 1 }, (_, index) => `select ${index + 1} as n`).join(' union all ');
    const span = (ENTRIES / COPIES) * 1000;
    await world.container.knex.raw(
      `insert into changes (${columns}, at) select ${columns}, at + numbers.n * ${span}
       from changes cross join (${numbers}) as numbers where site_id = ?`,
      [id],
    );
  };

  it('when a site has names with formulas or control characters, then each is a text in one cell', async () => {
    await store([...Object.keys(HOSTILE), LETTERS]);
    const { text } = await readCsv(world, id, 'plugins');
    const records = parse<Record<string, string>>(text, { columns: true });
    assert.deepEqual(Object.keys(records[0] ?? {}), [
      ...['action', 'name', 'slug', 'old_version', 'new_version', 'date', 'author'],
    ]);
    assert.deepEqual(records.map((each) => each['name']).toReversed(), [
      ...Object.values(HOSTILE),
      LETTERS.slice(0, 255),
    ]);
    assert.deepEqual(
      records.map((each) => each['author']),
      records.map((each) => String(each['name']).slice(0, String(each['name']) === LETTERS.slice(0, 255) ? 200 : 255)),
    );
  });

  it('when there are 100,000 entries, then they are read in pages by a cursor', async () => {
    await store(Array.from({ length: ENTRIES / COPIES }, (_, index) => `plugin ${index}`));
    await copy();
    const pages: string[] = [];
    const { knex } = world.container;
    const seen = ({ sql }: { sql: string }): void => void (/from .?changes/.test(sql) && pages.push(sql));
    knex.on('query', seen);
    const { lines } = await readCsv(world, id, 'plugins');
    knex.removeListener('query', seen);
    assert.equal(lines.length, ENTRIES + 1);
    assert.match(lines[1] ?? '', /plugin 999,/);
    assert.match(lines.at(-1) ?? '', /plugin 0,/);
    assert.equal(new Set(lines).size, lines.length);
    assert.ok(pages.length >= 20, `${pages.length} pages`);
    assert.ok(pages.every((sql) => /limit/.test(sql) && !/offset/.test(sql)));
    assert.ok(pages.slice(1).every((sql) => /at <= \?/.test(sql)));
  });

  it('when a client disconnects, then no more entries are read', async () => {
    const { reports } = world.container.services.proReports;
    const range = await reports.range(ALL_SITES, { startDate: '2026-11-01', endDate: '2026-11-30' }, { siteId: id });
    const statements = await world.countStatements(async () => {
      for await (const item of await reports.items(id, 'plugins', { range })) {
        assert.equal(item['name'], 'plugin 999');
        break;
      }
    });
    assert.ok(statements <= 3, `${statements} statements`);
  });
});
