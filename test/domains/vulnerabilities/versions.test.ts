import assert from 'node:assert/strict';
import {
  compareVersions,
  fixedIn,
  isAffected,
  type VersionRange,
} from '../../../src/domains/vulnerabilities/versions.ts';
import { slugInFeeds } from '../../../src/domains/vulnerabilities/vulnerability.ts';

const range = (from: string | null, to: string | null, inclusive = true): VersionRange => ({
  from,
  fromInclusive: true,
  to,
  toInclusive: inclusive,
});

describe('versions of WordPress, plugins and themes', () => {
  it('when two versions are compared, then the order is that of PHP, except for trailing zeros, case and a leading v', () => {
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
    assert.equal(fixedIn('5.3', ['6.0.1', '5.4', '4.9.9']), '5.4');
    assert.equal(fixedIn('6.1', ['6.0.1', '5.4']), null);
    assert.equal(fixedIn('6.1', []), null);
  });

  it('when a site names an item by its file, then the slug is that of its folder', () => {
    assert.equal(slugInFeeds('plugin', 'Akismet/akismet.php'), 'akismet');
    assert.equal(slugInFeeds('plugin', 'hello.php'), 'hello-dolly');
    assert.equal(slugInFeeds('plugin', 'fleet-defaults.php'), 'fleet-defaults');
    assert.equal(slugInFeeds('plugin', 'constructor.php'), 'constructor');
    assert.equal(slugInFeeds('theme', 'TwentyTwentyFive'), 'twentytwentyfive');
  });
});
