import assert from 'node:assert/strict';
import { UpdateBench } from './support.ts';

describe('ignore rules for updates', () => {
  let bench: UpdateBench;
  before(async () => {
    bench = await UpdateBench.open();
  });
  after(() => bench.testDatabase.close());

  const revision = async (): Promise<number> => {
    const row = await bench.testDatabase.database
      .knex('revisions')
      .where({ name: 'updates' })
      .first<{ value: number | string }>('value');
    return Number(row.value);
  };
  const set = (ignored: boolean, ...slugs: string[]) =>
    bench.ignored.set(bench.site, { type: 'plugin', slugs, ignored }, 'me');

  it('when a sync inserts rows, then the rules of that site apply to them', async () => {
    await bench.reset([]);
    const other = bench.site;
    assert.deepEqual(await set(true, 'b', 'a'), ['a', 'b']);
    await bench.reset(['a', 'b']);
    assert.deepEqual(await bench.stored(), ['a', 'b']);
    bench.child.versions.set('c', '1.0');
    await set(true, 'c');
    await bench.sync.store(bench.site, bench.child.report(), { complete: true });
    assert.deepEqual(await bench.stored(), ['a', 'b', 'c-']);
    assert.notEqual(other.id, bench.site.id);
  });

  it('when rules change, then the list revision is incremented once, and not without a change', async () => {
    await bench.reset(['a']);
    const before = await revision();
    await set(true, 'a', 'z');
    assert.equal(await revision(), before + 1);
    await set(true, 'z', 'a');
    await set(false, 'never');
    assert.equal(await revision(), before + 1);
    assert.deepEqual(await set(false, 'a'), ['z']);
    assert.equal(await revision(), before + 2);
  });

  it('when rules change during syncs, then marks and counters agree', async () => {
    await bench.reset(['a', 'b', 'c']);
    const { knex } = bench.testDatabase.database;
    for (let round = 0; round < 25; round++) {
      const slugs = ['a', 'b', 'c', 'd'].filter((_, at) => (round >> (at % 3)) % 2 === at % 2);
      bench.child.versions = new Map(slugs.map((slug) => [slug, '1.0']));
      const [one, two] = [bench.child.report(), { ...bench.child.report(), updates: [] }];
      await Promise.all([
        bench.sync.store(bench.site, two, { complete: false }),
        set(round % 2 === 0, 'a', 'c'),
        bench.sync.store(bench.site, one, { complete: false }),
        set(round % 3 === 0, 'b', 'd'),
      ]);
      const rules = new Set(
        await knex('ignored_updates').where({ site_id: bench.site.id, type: 'plugin' }).pluck<string[]>('slug'),
      );
      const stored = await bench.stored();
      assert.deepEqual(
        stored,
        stored.map((each) => each.replace('-', '')).map((slug) => (rules.has(slug) ? `${slug}-` : slug)),
      );
      const state = await knex('site_states')
        .where({ site_id: bench.site.id })
        .first<{ plugin_updates: number }>('plugin_updates');
      assert.equal(state.plugin_updates, stored.filter((each) => !each.endsWith('-')).length, `round ${round}`);
    }
  });

  it('when a site is deleted, then its rules are deleted', async () => {
    await bench.reset(['a']);
    await set(true, 'a');
    const { knex } = bench.testDatabase.database;
    await knex('sites').where({ id: bench.site.id }).delete();
    assert.deepEqual(await knex('ignored_updates').where({ site_id: bench.site.id }).pluck('slug'), []);
    await assert.rejects(set(true, 'b'));
  });
});
