import assert from 'node:assert/strict';
import { decodeItemAction } from '../../src/connector/answers/item-actions.ts';
import { decodeHtmlEntities } from '../../src/connector/answers/html-entities.ts';
import { decodeStats } from '../../src/connector/answers/stats.ts';
import {
  cleanText,
  readHttpUrl,
  readPlainText,
  readUnixSeconds,
  readSlug,
  readText,
} from '../../src/connector/answers/json-values.ts';

const base = { version: '6.1', wpversion: '7.0' };

describe('hostile responses', () => {
  it('when a response has no version, then it is rejected', () => {
    for (const value of [null, [], '', 1, {}, { wpversion: '7.0' }, { version: {} }, { version: '' }]) {
      assert.equal(decodeStats(value), null);
    }
  });

  it('when a section is missing or has another type, then it is omitted', () => {
    const missing = decodeStats(base);
    assert.deepEqual(Object.keys(missing ?? {}).sort(), [
      ...['activeThemeName', 'childVersion', 'dbVersion', 'ip', 'moreChanges', 'phpVersion'],
      ...['regverify', 'siteUrl', 'wpVersion'],
    ]);
    const odd = decodeStats({
      ...base,
      plugins: 'x',
      themes: false,
      plugin_updates: 3,
      securityStats: [],
      health_site_status: null,
    });
    assert.deepEqual(odd, missing);
  });

  it('when values have PHP types, then [] becomes an empty map and strings and numbers are converted', () => {
    const stats = decodeStats({
      version: 6.1,
      plugins: [{ slug: 'a/a.php', name: 7, version: 2.5, active: '1' }, { slug: 5 }, null, 'x', { name: 'no slug' }],
      plugin_updates: [],
      theme_updates: [],
      plugins_outdate_info: [],
      themes_outdate_info: { t: { Name: 'T', Version: 1, last_updated: '1600000000' }, u: { last_updated: 'x' } },
      health_site_status: { good: '3', recommended: -1, critical: 'x' },
    });
    assert.equal(stats?.childVersion, '6.1');
    assert.deepEqual(stats?.plugins?.[0], {
      ...{ slug: 'a/a.php', name: '7', version: '2.5', active: true, mustUse: false, isChildPlugin: false },
    });
    assert.equal(stats?.plugins?.length, 2);
    assert.deepEqual(stats?.updatesByType, { kinds: ['plugin', 'theme'], items: [] });
    assert.equal(stats?.updates, undefined, 'of two types nothing is known');
    assert.deepEqual(stats?.abandoned?.items, [
      { kind: 'theme', slug: 't', name: 'T', version: '1', lastUpdatedAt: 1600000000_000 },
    ]);
    assert.deepEqual(stats?.health, { good: 3, recommended: 0, critical: 0 });
  });

  it('when updates of every type arrive, then each is read once', () => {
    const stats = decodeStats({
      ...base,
      wp_updates: '7.1',
      plugins: [
        { slug: 'pro-forms/forms.php', name: 'Pro &amp; Forms', version: '1.0' },
        { slug: 'a/a.php', name: 'A', version: '1' },
      ],
      themes: [{ slug: 'rich', name: 'Rich', version: '2.0' }],
      plugin_updates: {
        'a/a.php': { Name: 'A', Version: '1', update: { new_version: '2' } },
        'b/b.php': { update: {} },
        c: null,
      },
      theme_updates: { rich: { Name: 'Rich', Version: '2.0', update: { new_version: '2.0' } } },
      premium_updates: {
        'a/a.php': { type: 'plugin', Name: 'A', Version: '1', update: { new_version: '9' } },
        forms: {
          type: 'plugin',
          Name: 'Pro & Forms',
          Version: '1.0',
          update: { new_version: '1.1', premium: true, slug: 'forms' },
        },
        rich: { type: 'theme', Name: 'Rich', Version: '2.0', new_version: '2.1' },
      },
      translation_updates: [
        { type: 'core', slug: 'default', language: 'de_DE', version: '7.0', name: 'WordPress core' },
        { type: 'plugin', slug: 'akismet', language: 'de_DE', version: '5.7' },
        { type: 'plugin', slug: 'akismet', language: 'fr_FR', version: '5.7' },
      ],
    });
    assert.deepEqual(
      stats?.updates?.map(({ type, slug, name, currentVersion, newVersion }) => [
        type,
        slug,
        name,
        currentVersion,
        newVersion,
      ]),
      [
        ['core', 'wordpress', 'WordPress', '7.0', '7.1'],
        ['plugin', 'a/a.php', 'A', '1', '2'],
        ['plugin', 'pro-forms/forms.php', 'Pro & Forms', '1.0', '1.1'],
        ['theme', 'rich', 'Rich', '2.0', '2.1'],
        ['translation', 'default', 'WordPress core', '', '7.0'],
        ['translation', 'akismet', 'akismet', '', '5.7'],
      ],
    );
  });

  it('when lists and texts are long, then they are cut to their limits', () => {
    const many = Array.from({ length: 10_000 }, (_, index) => ({ slug: `p${index}/p.php`, name: 'x'.repeat(100_000) }));
    const stats = decodeStats({ ...base, plugins: many });
    assert.equal(stats?.plugins?.length, 2000);
    assert.equal(stats?.plugins?.[0]?.name.length, 200);
    const logs = Object.fromEntries(
      many.map((_, index) => [index + 1, { created: 1795235477 + index / 10, summary: 'y' }]),
    );
    assert.equal(decodeStats({ ...base, child_site_actions_data: logs })?.logs?.length, 2000);
  });

  it('when log entries have impossible times, then they are dropped', () => {
    const at = (created: unknown) => ({ created, context: 'plugins', action: 'x' });
    const map = {
      1: at(9e15),
      2: at(-5),
      3: at('NaN'),
      4: at(Infinity),
      5: at(null),
      6: at(1795235477),
      connected_admin: 'x',
    };
    assert.deepEqual(
      decodeStats({ ...base, child_site_actions_data: map })?.logs?.map(({ externalId }) => externalId),
      ['6'],
    );
  });

  it('when a key is __proto__ or constructor, then no prototype is changed', () => {
    const answer = JSON.parse(`{"version":"6.1","__proto__":{"plugins":[{"slug":"x/x.php"}]},
      "plugin_updates":{"__proto__":{"Name":"P","Version":"1","update":{"new_version":"2"}},
      "constructor":{"update":{"new_version":"2"}}},
      "theme_updates":[]}`) as unknown;
    const stats = decodeStats(answer);
    assert.equal(stats?.plugins, undefined);
    assert.deepEqual(
      stats?.updatesByType?.items.map(({ slug }) => slug),
      ['__proto__', 'constructor'],
    );
    assert.equal(({} as { Name?: unknown }).Name, undefined);
    assert.equal(readText(decodeHtmlEntities('&constructor;&toString;'), 50), '&constructor;&toString;');
  });

  it('when texts contain control characters, direction marks or lone surrogates, then these are removed', () => {
    assert.equal(cleanText('a\u0000b\u001b[31mc\u202edcba\u2066\ufeff\nnext\tx', 50), 'ab[31mcdcba next x');
    assert.equal(cleanText('x'.repeat(9) + '\u{1F600}', 10), 'x'.repeat(9));
    assert.equal(cleanText('a\ud800b', 10), 'ab');
    assert.equal(
      readPlainText('&#8220;A&amp;B&#8221; &lt;b&gt; &#x41; &nosuch; &#0; &#55296;', 100),
      '\u201cA&B\u201d <b> A &nosuch;',
    );
    assert.equal(readText({}, 10) + readText(null, 10) + readText(true, 10) + readText([], 10), '');
  });

  it('when a slug cannot be part of a list, then it is omitted', () => {
    for (const bad of ['', 'a|b', 'a,b', 'a\0b', 'a\nb', ' a', 'x'.repeat(256), null, {}, [], true]) {
      assert.equal(readSlug(bad), null, JSON.stringify(bad));
    }
    for (const good of ['a/b.php', 'hello.php', 'a b', "it's", 'ä', '__proto__']) assert.equal(readSlug(good), good);
  });

  it('when URLs are not http or https, or times are out of range, then they are omitted', () => {
    for (const bad of [
      'javascript:alert(1)',
      'ftp://a.b/',
      'http://u:p@a.b/',
      'http://a b',
      'x',
      '',
      null,
      `http://${'a'.repeat(600)}`,
    ]) {
      assert.equal(readHttpUrl(bad), null, String(bad));
    }
    assert.equal(readHttpUrl('https://example.com/blog'), 'https://example.com/blog');
    assert.deepEqual(
      [readUnixSeconds('1795235235.895774'), readUnixSeconds(0), readUnixSeconds('x'), readUnixSeconds(5e9)],
      [1795235235.895774, null, null, null],
    );
  });

  it('when theme deletions are refused, then each refusal is read in both formats', () => {
    const answer = {
      status: 'SUCCESS',
      error: { is_activated_theme: 'a,b', is_activated_parent: ['c', null] },
      other_data: [],
    };
    assert.deepEqual(decodeItemAction(answer, 'theme')?.refusals, [
      { slug: 'a', reason: 'active_theme' },
      { slug: 'b', reason: 'active_theme' },
      { slug: 'c', reason: 'parent_of_active_theme' },
    ]);
    for (const value of [null, [], '', { status: 'OTHER' }, {}]) assert.equal(decodeItemAction(value, 'plugin'), null);
  });
});
