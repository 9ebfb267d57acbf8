import assert from 'node:assert/strict';
import type { ChildStats } from '../../../src/connector/child-site.ts';
import { abandonedSection, pluginsSection } from '../../../src/domains/inventory/index.ts';
import { recordStatements, withFreshDatabase, type TestDatabase } from '../../support/database.ts';
import {
  abandoned,
  ALL_ITEMS,
  completeAbandoned,
  insertSite,
  readModelAt,
  NOON,
  plugin,
  statsWith,
  SECTIONS,
  storeReport,
  theme,
} from './support.ts';

describe('inventory sections of a sync', () => {
  let opened: TestDatabase;
  withFreshDatabase((fresh) => (opened = fresh));

  const addSite = (urlKey: string) => insertSite(opened, urlKey);
  const store = (site: { id: number; urlKey: string }, parts: Partial<ChildStats>) => storeReport(opened, site, parts);
  const lists = (now = NOON, days = 730) => readModelAt(opened, now, days);

  it('when sections are stored, then only the abandoned section changes a list revision', () => {
    assert.deepEqual(
      SECTIONS.map(({ name, subjects }) => [name, subjects]),
      [
        ['plugins', []],
        ['themes', []],
        ['abandoned', ['abandoned']],
      ],
    );
  });

  it('when the child did not send a section, then the stored one stays', () => {
    for (const section of SECTIONS) assert.equal(section.read(statsWith({})), undefined);
  });

  it('when the same items arrive in any order, then the value is the same and has each slug once', () => {
    const [a, b] = [plugin('a/a.php'), plugin('b/b.php')];
    const value = pluginsSection.read(statsWith({ plugins: [a, b] }));
    assert.deepEqual(value, [a, b]);
    assert.deepEqual(pluginsSection.read(statsWith({ plugins: [b, a, b] })), value);
    const same = [abandoned('theme', 'x', 1), abandoned('plugin', 'x', 1)];
    assert.equal(abandonedSection.read(statsWith({ abandoned: completeAbandoned(same) }))?.items.length, 2);
  });

  it('when texts are longer than their columns, then they are cut without splitting a character', async () => {
    const site = await addSite('long.example');
    const slug = `${'é'.repeat(300)}.php`;
    await store(site, { plugins: [plugin(slug, { name: '😀'.repeat(300), version: '9'.repeat(80) })] });
    const [stored] = await lists().plugins(site.id, ALL_ITEMS);
    assert.equal(stored?.slug, 'é'.repeat(255));
    assert.equal(stored.name, '😀'.repeat(255));
    assert.equal(stored.version, '9'.repeat(64));
  });

  it('when a section is stored, then it replaces the section of that site only', async () => {
    const [one, two] = [await addSite('one.example'), await addSite('two.example')];
    await store(one, { plugins: [plugin('a/a.php'), plugin('b/b.php')], themes: [theme('x', { active: true })] });
    await store(two, { plugins: [plugin('a/a.php'), plugin('b/b.php')] });
    await store(one, {
      plugins: [plugin('b/b.php', { version: '2.0', active: true }), plugin('c/c.php')],
      themes: [],
    });
    const brief = async (id: number) =>
      (await lists().plugins(id, ALL_ITEMS)).map(({ slug, version, active }) => `${slug} ${version} ${active}`);
    assert.deepEqual(await brief(one.id), ['b/b.php 2.0 true', 'c/c.php 1.0 false']);
    assert.deepEqual(await brief(two.id), ['a/a.php 1.0 false', 'b/b.php 1.0 false']);
    assert.deepEqual(await lists().themes(one.id, ALL_ITEMS), { activeTheme: null, themes: [] });
  });

  it('when some rows differ, then only they are written, many with one SQL statement', async () => {
    const site = await addSite('diff.example');
    const plugins = Array.from({ length: 250 }, (_, at) => plugin(`p${at}/p.php`));
    const first = await recordStatements(opened.database.knex, () => store(site, { plugins }));
    assert.equal(first.filter((sql) => sql.startsWith('insert')).length, 3);
    const second = await recordStatements(opened.database.knex, () => store(site, { plugins }));
    assert.deepEqual(
      second.filter((sql) => /^(insert|delete|update)/.test(sql)),
      [],
    );
    const changed = plugins.slice(1).map((each, at) => (at === 7 ? { ...each, version: '1.1' } : each));
    const third = await recordStatements(opened.database.knex, () => store(site, { plugins: changed }));
    assert.equal(third.filter((sql) => sql.startsWith('insert')).length, 1);
    assert.equal(third.filter((sql) => sql.startsWith('delete')).length, 1);
    const stored = await lists().plugins(site.id, ALL_ITEMS);
    assert.equal(stored.length, 249);
    assert.equal(stored.find(({ slug }) => slug === 'p8/p.php')?.version, '1.1');
  });

  it('when two themes have the name of the active theme, then only the one that is known to be active is', async () => {
    const site = await addSite('twins.example');
    const activeThemes = async () => {
      const { activeTheme, themes } = await lists().themes(site.id, ALL_ITEMS);
      return [activeTheme, ...themes.map(({ active }) => active)];
    };
    // The child plugin compares names, so that both look active, and both look like the parent of the active theme.
    const both = { active: true, parentOfActive: true };
    const twins = [theme('astra', both), theme('astra-child', both)];
    await store(site, { themes: twins });
    assert.deepEqual(await activeThemes(), [null, false, false]);
    await store(site, { themes: [theme('astra-child', { active: true })] });
    await store(site, { themes: twins });
    assert.deepEqual(await activeThemes(), ['astra-child', false, true]);
  });
});
