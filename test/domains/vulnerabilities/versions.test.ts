import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { compareVersionParts, parseVersionParts } from '../../../src/domains/vulnerabilities/php-version.ts';
import {
  compareVersions,
  findFixedVersion,
  isAffected,
  type VersionRange,
} from '../../../src/domains/vulnerabilities/versions.ts';
import { toPluginFeedSlugs, slugInFeeds } from '../../../src/domains/vulnerabilities/vulnerability.ts';

const range = (from: string | null, to: string | null, inclusive = true): VersionRange => ({
  from,
  fromInclusive: true,
  to,
  toInclusive: inclusive,
});

/** Returns pairs of versions with the result of PHP, which the head of the file explains. */
async function pairsOfPhp(): Promise<{ one: string; other: string; expected: number }[]> {
  const text = await readFile(new URL('php/version-compare.txt', import.meta.url), 'utf8');
  const lines = text.split('\n').filter((line) => line.includes('\t') && !line.startsWith('#'));
  const rows = lines.map((line) => line.split('\t') as [version: string, results: string]);
  return rows.flatMap(([one, results]) =>
    rows.map(([other], at) => ({ one, other, expected: '<=>'.indexOf(results.charAt(at)) - 1 })),
  );
}

/** True for versions that `compareVersions` must compare like PHP. It differs only in zeros and prefixes. */
const isComparedLikePhp = (version: string): boolean =>
  version.startsWith('1.0') && !/(^|\D)0+(\D|$)/.test(version.slice(3));

describe('versions of WordPress, plugins and themes', () => {
  it('when PHP has compared two versions, then the parts compare in the same way', async () => {
    const pairs = await pairsOfPhp();
    assert.equal(pairs.length, 145 ** 2);
    for (const { one, other, expected } of pairs)
      assert.equal(
        compareVersionParts(parseVersionParts(one), parseVersionParts(other)),
        expected,
        `${one} and ${other}`,
      );
  });

  it('when two versions have no trailing zeros, then they compare like in PHP', async () => {
    const pairs = (await pairsOfPhp()).filter((pair) => isComparedLikePhp(pair.one) && isComparedLikePhp(pair.other));
    assert.ok(pairs.length > 60 ** 2);
    for (const { one, other, expected } of pairs)
      assert.equal(compareVersions(one, other), expected, `${one} and ${other}`);
    for (const ending of ['pro', 'patch1', 'php8', 'plus']) assert.equal(compareVersions(`1.0-${ending}`, '1.0'), 1);
    assert.equal(isAffected('1.0-pro', [range(null, '1.0')]), false);
    // The words are case-sensitive in PHP, apart from rc.
    assert.equal(compareVersions('1.0-Pro', '1.0'), -1);
    assert.equal(isAffected('1.0-Pro', [range(null, '1.0')]), true);
  });

  it('when two versions are compared, then the order is that of PHP, except for trailing zeros and a leading v', () => {
    const ascending = [
      ...['0.9', '1.0-dev', '1.0-alpha1', '1.0-alpha-57000-src', '1.0-beta', '1.0-beta2', '1.0-beta10', '1.0-RC1'],
      ...['1.0-RC2', '1.0', '1.0.0.1', '1.0.1', '1.0.9', '1.0.10', '1.2.3.4', '1.2.3.10', '1.9', '1.10'],
      ...['2.0', '10.0', '20240101', '20240101.2'],
    ];
    for (const [index, version] of ascending.entries())
      for (const [other, another] of ascending.entries())
        assert.equal(compareVersions(version, another), Math.sign(index - other), `${version} and ${another}`);
    assert.equal(compareVersions('1.0p1', '1.0'), 1);
    const same = [
      ['1.0', '1.0.0'],
      ['5.3', '5.3.0.0'],
      ['v2.1', '2.1'],
      ['Version 2.1', '2.1'],
      ['6.5-rc1', '6.5-RC1'],
      ['6.5RC1', '6.5-RC1'],
      ['1.5.02', '1.5.2'],
      [' 1.4 ', '1.4'],
      ['1.4.', '1.4'],
      ['1.*', '1'],
    ] as const;
    for (const [one, other] of same) assert.equal(compareVersions(one, other), 0, `${one} and ${other}`);
  });

  it('when texts are not versions, then a comparison still returns', () => {
    for (const text of ['', '   ', 'constructor', '__proto__', 'trunk', '1..2', '...', '-', '9'.repeat(64), '1.*', '①'])
      for (const other of ['1.0', 'toString', ''])
        assert.ok([-1, 0, 1].includes(compareVersions(text, other)), `${text} and ${other}`);
  });

  it('when a version is at the end of a range, then the range decides if it is affected', () => {
    assert.equal(isAffected('5.3', [range(null, '5.3')]), true);
    assert.equal(isAffected('5.3.0', [range(null, '5.3')]), true);
    assert.equal(isAffected('5.3', [range(null, '5.3', false)]), false);
    assert.equal(isAffected('5.3.1', [range(null, '5.3')]), false);
    assert.equal(isAffected('5.3-RC1', [range('5.3', null)]), false);
    assert.equal(isAffected('9', [range('5.3', null)]), true);
    assert.equal(isAffected('6.1', [range(null, '5.0'), range('6.0', '6.2')]), true);
    assert.equal(isAffected('', [range(null, null)]), false);
  });

  it('when several versions are patched, then the next higher one is returned', () => {
    assert.equal(findFixedVersion('5.3', ['6.0.1', '5.4', '4.9.9']), '5.4');
    assert.equal(findFixedVersion('6.1', ['6.0.1', '5.4']), null);
    assert.equal(findFixedVersion('6.1', []), null);
  });

  it('when a site names an item by its file, then the slug is that of its folder', () => {
    assert.equal(slugInFeeds('plugin', 'Akismet/akismet.php'), 'akismet');
    assert.equal(slugInFeeds('plugin', 'hello.php'), 'hello-dolly');
    assert.equal(slugInFeeds('plugin', 'fleet-defaults.php'), 'fleet-defaults');
    assert.equal(slugInFeeds('plugin', 'constructor.php'), 'constructor');
    assert.equal(slugInFeeds('theme', 'TwentyTwentyFive'), 'twentytwentyfive');
  });

  const slugsOf = (...files: [item: string, name: string, mustUse?: boolean][]): string[] =>
    toPluginFeedSlugs(files.map(([item, name, mustUse = false]) => ({ item, name, mustUse })));

  it('when a folder has several plugin files, then only its main file has the slug of the folder', () => {
    assert.deepEqual(slugsOf(['akismet/extra.php', 'Akismet'], ['akismet/akismet.php', 'Anti-spam']), [
      '/akismet/extra.php',
      'akismet',
    ]);
    assert.deepEqual(
      slugsOf(['contact-form-7/wp-contact-form-7.php', 'Contact Form 7'], ['contact-form-7/a.php', 'A']),
      ['contact-form-7', '/contact-form-7/a.php'],
    );
    // The main file is unknown, so no vulnerability may be missed.
    assert.deepEqual(slugsOf(['suite/one.php', 'One'], ['suite/two.php', 'Two']), ['suite', 'suite']);
    assert.deepEqual(slugsOf(['wordpress-seo/wp-seo.php', 'Yoast SEO']), ['wordpress-seo']);
    assert.deepEqual(slugsOf(['Akismet/akismet.php', 'A'], ['akismet/b.php', 'B']), ['akismet', '/akismet/b.php']);
  });

  it('when a plugin is a must-use file, then it has no slug of a plugin', () => {
    assert.deepEqual(slugsOf(['akismet.php', 'Akismet', true], ['akismet/akismet.php', 'Akismet']), [
      '/akismet.php',
      'akismet',
    ]);
    assert.deepEqual(slugsOf(['hello.php', 'Hello Dolly', true], ['hello.php', 'Hello Dolly']), [
      '/hello.php',
      'hello-dolly',
    ]);
  });
});
