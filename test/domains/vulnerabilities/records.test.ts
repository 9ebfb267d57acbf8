import assert from 'node:assert/strict';
import { readOsv } from '../../../src/domains/vulnerabilities/feeds/osv.ts';
import { readWordfence } from '../../../src/domains/vulnerabilities/feeds/wordfence.ts';
import { isAffected } from '../../../src/domains/vulnerabilities/versions.ts';
import type { FeedRecord } from '../../../src/domains/vulnerabilities/vulnerability.ts';
import { osvRecord, wordfenceFeed } from '../../support/vulnerabilities.ts';

const ID = '00000000-0000-4000-8000-000000000001';
const wordfence = (more: object): FeedRecord | null =>
  readWordfence(ID, { ...(wordfenceFeed({ slug: 'akismet' })[ID] as object), ...more });

function osv(more: object): FeedRecord {
  const record = readOsv(osvRecord('akismet', '5.4', more));
  assert.ok(record !== null && record !== 'other');
  return record;
}

const affected = (ecosystem: string, name: string, events: object[] = [{ introduced: '0' }], more: object = {}) => ({
  affected: [{ package: { ecosystem, name }, ranges: [{ type: 'ECOSYSTEM', events }], ...more }],
});

describe('vulnerability records', () => {
  it('when a record comes from Wordfence, then all fields are read', () => {
    const record = wordfence({});
    assert.deepEqual(
      { ...record, notices: record?.notices.length },
      {
        externalId: ID,
        title: 'akismet <= 9.0 - Stored Cross-Site Scripting',
        description: 'The software akismet does not escape what visitors send.',
        severity: 'high',
        cvssScore: 7.2,
        cvssVector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:L/I:L/A:N',
        cve: 'CVE-2026-10001',
        publishedAt: Date.parse('2026-11-20T06:02:11Z'),
        modifiedAt: Date.parse('2026-11-21T10:00:00Z'),
        references: [`https://www.wordfence.com/threat-intel/vulnerabilities/id/${ID}`],
        notices: 2,
        affected: [
          {
            ...{ type: 'plugin', slug: 'akismet', name: 'akismet', patched: ['9.1'] },
            ranges: [{ from: null, fromInclusive: true, to: '9.0', toInclusive: true }],
          },
        ],
      },
    );
    assert.equal(wordfence({ informational: true })?.severity, 'none');
    assert.equal(wordfence({ cvss: { score: '9.8' } })?.severity, 'critical');
    assert.equal(wordfence({ cvss: { rating: 'Medium' } })?.severity, 'medium');
  });

  it('when fields have wrong types, then they are omitted, and a record without an item is rejected', () => {
    for (const value of [null, [], 'text', 7, true, {}]) assert.equal(readWordfence(ID, value), null);
    const software = (each: object): FeedRecord | null => wordfence({ software: [each] });
    assert.equal(software({ type: 'plugin', slug: 'a', affected_versions: 'all' }), null);
    assert.equal(software({ type: 'constructor', slug: 'a', affected_versions: {} }), null);
    assert.equal(software({ type: 'plugin', slug: '../../a b', affected_versions: { a: { to_version: '1' } } }), null);
    const strange = wordfence({
      title: { a: 1 },
      description: ['x'],
      references: ['javascript:alert(1)', 7, 'https://example.com/a', 'https://example.com/"><script>'],
      cve: 'DROP TABLE',
      cvss: { score: 1e9, rating: [] },
      published: 'soon',
      copyrights: 'mine',
    });
    assert.deepEqual(
      [
        strange?.title,
        strange?.description,
        strange?.references,
        strange?.cve,
        strange?.cvssScore,
        strange?.publishedAt,
      ],
      [ID, '', ['https://example.com/a'], null, null, null],
    );
    const long = wordfence({ title: `a\u0000b\ud800${'x'.repeat(5_000)}`, description: 'y'.repeat(100_000) });
    assert.ok(long && long.title.length <= 500 && long.description.length <= 5_000);
    assert.ok(!long.title.includes('\u0000') && !/\p{Surrogate}/u.test(long.title));
  });

  it('when a record uses the OSV schema, then its packages are found by each of their names', () => {
    const names: [string, string, string][] = [
      ['WordPress:Plugin', 'akismet', 'plugin akismet'],
      ['WordPress:Theme', 'Astra', 'theme astra'],
      ['WordPress:Core', 'wordpress', 'core wordpress'],
      ['WordPress', 'wordpress', 'core wordpress'],
      ['wordpress-plugin', 'booking', 'plugin booking'],
      ['Packagist', 'wpackagist-plugin/akismet', 'plugin akismet'],
      ['Packagist:https://wpackagist.org', 'wpackagist-theme/astra', 'theme astra'],
      ['Packagist', 'roots/wordpress', 'core wordpress'],
    ];
    for (const [ecosystem, name, found] of names) {
      const [item] = osv(affected(ecosystem, name)).affected;
      assert.equal(`${item?.type} ${item?.slug}`, found);
    }
    assert.equal(readOsv(osvRecord('a', '1', affected('npm', 'left-pad'))), 'other');
    assert.equal(readOsv(osvRecord('a', '1', { withdrawn: '2026-11-21T00:00:00Z' })), 'other');
    assert.equal(readOsv({ affected: [] }), null);
    assert.equal(osv({}).severity, 'critical');
    assert.equal(osv({ severity: [], database_specific: { severity: 'MODERATE' } }).severity, 'medium');
    const four = 'CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N';
    assert.equal(osv({ severity: [{ type: 'CVSS_V4', score: four }] }).cvssScore, 9.3);
    assert.equal(osv({ severity: [{ type: 'CVSS_V3', score: 'CVSS:nonsense' }] }).severity, 'none');
  });

  it('when events are in any order, then they are sorted into ranges, and other listed versions are added', () => {
    const events = [
      { fixed: '2.0' },
      { introduced: '1.5' },
      { last_affected: '3.2' },
      { introduced: '3.0' },
      { limit: '*' },
    ];
    const [item] = osv(affected('WordPress:Plugin', 'a', events, { versions: ['1.6', '4.0-beta1', 7] })).affected;
    assert.deepEqual(
      item?.ranges.map(({ from, to, toInclusive }) => [from, to, toInclusive]),
      [
        ['1.5', '2.0', false],
        ['3.0', '3.2', true],
        ['4.0-beta1', '4.0-beta1', true],
        ['7', '7', true],
      ],
    );
    assert.deepEqual(item.patched, ['2.0']);
  });

  const packageOf = (ecosystem: string, name: string, fixed: string) => ({
    package: { ecosystem, name },
    ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed }] }],
  });
  const toVersions = (record: FeedRecord | null) =>
    record?.affected.map(({ type, slug, ranges, patched }) => [
      `${type} ${slug}`,
      ranges.map(({ from, to }) => `${from ?? '*'} to ${to ?? '*'}`),
      patched,
    ]);

  it('when a record names a software twice, then it has the ranges of both', () => {
    const twice = [
      packageOf('WordPress:Plugin', 'Akismet', '5.4'),
      packageOf('Packagist', 'wpackagist-plugin/akismet', '5.4'),
    ];
    const theme = packageOf('WordPress:Theme', 'akismet', '1.2');
    const branch = packageOf('WordPress:Plugin', 'akismet', '4.1.9');
    assert.deepEqual(toVersions(osv({ affected: [...twice, theme, branch] })), [
      ['plugin akismet', ['* to 5.4', '* to 5.4', '* to 4.1.9'], ['5.4', '4.1.9']],
      ['theme akismet', ['* to 1.2'], ['1.2']],
    ]);
    const part = (slug: string, to: string, patched: string[]) => ({
      ...{ type: 'plugin', name: slug, slug, patched_versions: patched },
      affected_versions: { [`* - ${to}`]: { from_version: '*', to_version: to } },
    });
    const software = [
      part('akismet', '4.1.8', ['4.1.9']),
      part('Akismet', '5.3', ['5.4', '4.1.9']),
      part('b', '1', []),
    ];
    assert.deepEqual(toVersions(wordfence({ software })), [
      ['plugin akismet', ['* to 4.1.8', '* to 5.3'], ['4.1.9', '5.4']],
      ['plugin b', ['* to 1'], []],
    ]);
  });

  it('when a record lists thousands of versions, then all are affected, the newest too', () => {
    const versions = Array.from({ length: 3000 }, (_, n) => `${Math.trunc(n / 100)}.${n % 100}`);
    const [item] = osv(affected('WordPress:Plugin', 'a', [], { versions })).affected;
    for (const version of ['0.0', '2.1', '29.99']) assert.equal(isAffected(version, item?.ranges ?? []), true, version);
    for (const version of ['30.0', '2.1.1']) assert.equal(isAffected(version, item?.ranges ?? []), false, version);
    const branches = Array.from({ length: 300 }, (_, n) => [{ introduced: `${n}.1` }, { fixed: `${n}.5` }]).flat();
    const [other] = osv(affected('WordPress:Plugin', 'a', branches)).affected;
    assert.equal(isAffected('299.2', other?.ranges ?? []), true);
    assert.equal(isAffected('299.5', other?.ranges ?? []), false);
  });

  it('when a record names hundreds of plugins, then all are affected', () => {
    const slugs = Array.from({ length: 600 }, (_, n) => `plugin-${n}`);
    const packages = slugs.map((slug) => packageOf('WordPress:Plugin', slug, '2'));
    assert.equal(osv({ affected: packages }).affected.length, 600);
    const affected_versions = { '* - 1': { from_version: '*', to_version: '1' } };
    const software = slugs.map((slug) => ({ type: 'plugin', slug, affected_versions }));
    assert.equal(wordfence({ software })?.affected.length, 600);
  });

  it('when a list of a record is longer than the limit, then the record is skipped and not cut', () => {
    const versions = Array.from({ length: 10_001 }, (_, n) => `1.${n}`);
    assert.equal(readOsv(osvRecord('a', '1', affected('WordPress:Plugin', 'a', [], { versions }))), null);
    const affected_versions = Object.fromEntries(
      Array.from({ length: 1001 }, (_, n) => [String(n), { from_version: `${n}.1`, to_version: `${n}.2` }]),
    );
    assert.equal(wordfence({ software: [{ type: 'plugin', slug: 'a', affected_versions }] }), null);
  });

  it('when versions and ranges would need millions of comparisons, then the record is still read quickly', () => {
    const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
    const ranges = numbers(1_000).map((at) => ({
      type: 'ECOSYSTEM',
      events: [{ introduced: `${at}.1` }, { fixed: `${at}.2` }],
    }));
    const versions = numbers(10_000).map((at) => `${at}.3`);
    const described = { package: { ecosystem: 'WordPress:Plugin', name: 'akismet' }, versions, ranges };
    const before = process.cpuUsage();
    const [software] = osv({ affected: Array.from({ length: 20 }, () => described) }).affected;
    // With all comparisons it takes half a minute.
    assert.ok(process.cpuUsage(before).user < 10_000_000);
    const affects = (version: string): boolean => isAffected(version, software?.ranges ?? []);
    assert.deepEqual(['7.1', '7.1.5', '7.2', '7.3', '7.4'].map(affects), [true, true, false, true, false]);
  });

  it('when one end of a range is missing, then that side is open; when both are, the range is omitted', () => {
    const rangesOf = (...ranges: object[]) => {
      const affected_versions = Object.fromEntries(ranges.map((each, n) => [String(n), each]));
      return wordfence({ software: [{ type: 'plugin', slug: 'a', affected_versions }] })?.affected[0]?.ranges.map(
        ({ from, to }) => [from, to],
      );
    };
    const whole = { from_version: '8.0', to_version: '8.1' };
    assert.deepEqual(rangesOf({ to_version: '5.3' }, whole), [
      [null, '5.3'],
      ['8.0', '8.1'],
    ]);
    assert.deepEqual(rangesOf({ from_version: '5.0', to_version: null }), [['5.0', null]]);
    assert.deepEqual(rangesOf({ from_version: '', to_version: '5.3' }), [[null, '5.3']]);
    assert.deepEqual(rangesOf({ from_version: '*', to_version: '*' }), [[null, null]]);
    for (const range of [{}, { from_version: '', to_version: null }, { from_version: {}, to_version: '5.3' }])
      assert.deepEqual(rangesOf(range, whole), [['8.0', '8.1']], JSON.stringify(range));
  });

  /** The base scores are those of the specifications, the vectors of the worst case. */
  it('when a vector has temporal, threat or environmental metrics, then the score is the base score', () => {
    const scoreOf = (score: string) => osv({ severity: [{ type: 'CVSS', score }] }).cvssScore;
    const worst = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H';
    assert.equal(scoreOf(worst), 9.8);
    assert.equal(scoreOf(`${worst}/E:U/RL:O/RC:U`), 9.8);
    assert.equal(scoreOf(`${worst}/CR:L/IR:L/AR:L/MAV:P`), 9.8);
    const four = 'CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N';
    assert.equal(scoreOf(`${four}/E:U`), 9.3);
    assert.equal(scoreOf(`${four}/CR:L/IR:L/AR:L`), 9.3);
    assert.equal(scoreOf('AV:N/AC:L/Au:N/C:C/I:C/A:C/E:U/RL:OF/RC:UC'), 10);
    assert.equal(scoreOf('CVSS:3.1/AV:N/AC:L'), null);
  });
});
