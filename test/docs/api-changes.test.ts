import assert from 'node:assert/strict';
import { keyOf, updatedRecords, type RecordedChange } from '../../scripts/check/changes/records.ts';
import type { JudgedChange } from '../../scripts/check/changes/verdict.ts';
import { apiChangeFeed, apiChangeLists, readApiChanges, type ApiChanges } from '../../scripts/docs/api-changes.ts';

const change = { level: 'additive', surface: 'v2', announced: null } as const;
const PLANTED = {
  since: '0.1.0',
  changes: [
    {
      ...change,
      kind: 'operation-added',
      subject: 'tags_merge',
      message: 'New <one> & other.',
      operations: ['tags_merge'],
    },
    {
      ...change,
      ...{ kind: 'operation-deprecated', subject: 'tags_edit', message: 'Deprecated.' },
      operations: ['tags_edit', 'tags_edit__post'],
    },
    {
      ...change,
      ...{ level: 'breaking', kind: 'field-removed', subject: 'Tag.name', message: 'Tag has no name.' },
      operations: ['tags_list', 'tags_get', 'tags_edit', 'tags_remove'],
    },
    { ...change, kind: 'field-added', subject: 'Tag.size', message: 'Tag has size.', operations: [] },
  ],
  records: [],
} as ApiChanges;

const sectionOf = (text: string, title: string): string =>
  text.split(`## ${title}\n`)[1]?.split('\n## ')[0]?.trim() ?? '';

describe('changes of the API in the docs', () => {
  it('when changes are listed, then each is in one section, with at most three links', () => {
    const text = apiChangeLists(PLANTED);
    const link = (id: string): string => `[${id}](/reference/v2/${id})`;
    assert.equal(
      sectionOf(text, 'Breaking changes'),
      `- Tag has no name. (${['tags_list', 'tags_get', 'tags_edit'].map(link).join(', ')} and 1 others)`,
    );
    assert.equal(sectionOf(text, 'Deprecated operations'), `- Deprecated. (${link('tags_edit')})`);
    assert.equal(sectionOf(text, 'New operations'), `- New <one> & other. (${link('tags_merge')})`);
    assert.equal(sectionOf(text, 'Other additions'), '- Tag has size.');
    const none = apiChangeLists({ ...PLANTED, changes: [] });
    assert.equal(sectionOf(none, 'Breaking changes'), 'None since 0.1.0.');
  });

  it('when earlier releases have records, then the page lists them by release, newest first', () => {
    const recorded = (since: string, date: string, message: string): RecordedChange => ({
      ...{ since, date, message, level: 'additive', surface: 'v2', kind: 'field-added' },
      ...{ subject: 'Tag.size', operations: ['tags_get'] },
    });
    const records = [
      recorded('0.0.8', '2026-05-01', 'Oldest.'),
      recorded('0.0.9', '2026-08-01', 'Old.'),
      recorded('0.1.0', '2026-11-01', 'Of this release.'),
    ];
    const text = apiChangeLists({ ...PLANTED, records });
    assert.equal(
      sectionOf(text, 'From 0.0.9 to 0.1.0'),
      '**Other additions**\n\n- Old. ([tags_get](/reference/v2/tags_get))',
    );
    assert.match(sectionOf(text, 'From 0.0.8 to 0.0.9'), /Oldest\./);
    assert.ok(text.indexOf('From 0.0.9') < text.indexOf('From 0.0.8'));
    assert.ok(!text.includes('Of this release'));
  });

  it('when changes are recorded again, then they keep their day, and what was taken back is gone', () => {
    const first = updatedRecords([], '0.1.0', PLANTED.changes, '2026-11-28');
    const [merged, ...others] = PLANTED.changes as [JudgedChange, ...JudgedChange[]];
    const added = { ...merged, subject: 'tags_split', operations: ['tags_split', 'tags_split__post'] };
    const later = updatedRecords(first, '0.1.0', [added, ...others], '2026-12-24');
    assert.deepEqual(
      later.map(({ subject, date }) => [subject, date]),
      [
        ['tags_split', '2026-12-24'],
        ['tags_edit', '2026-11-28'],
        ['Tag.name', '2026-11-28'],
        ['Tag.size', '2026-11-28'],
      ],
    );
    assert.deepEqual(later[0]?.operations, ['tags_split']);
    const afterRelease = updatedRecords(later, '0.2.0', [merged], '2027-01-10');
    assert.deepEqual(
      afterRelease.map(({ since, date }) => `${since} ${date}`),
      ['0.1.0 2026-12-24', '0.1.0 2026-11-28', '0.1.0 2026-11-28', '0.1.0 2026-11-28', '0.2.0 2027-01-10'],
    );
  });

  it('when a field is tightened again, then its entry gets the new message and day', () => {
    const [merged] = PLANTED.changes as [JudgedChange];
    const tightened = (message: string, level: JudgedChange['level'] = 'breaking'): JudgedChange => ({
      ...merged,
      ...{ level, kind: 'input-limit-tightened', subject: 'Tag.name', message },
    });
    const first = updatedRecords([], '0.1.0', [tightened('At most 100.')], '2026-11-28');
    const second = updatedRecords(first, '0.1.0', [tightened('At most 50.')], '2026-12-24');
    const datesOf = (records: readonly RecordedChange[]) => records.map(({ message, date }) => [message, date]);
    assert.deepEqual(datesOf(second), [['At most 50.', '2026-12-24']]);
    assert.deepEqual(
      datesOf(updatedRecords(second, '0.1.0', [tightened('At most 50.')], '2027-01-10')),
      datesOf(second),
    );
    const eased = updatedRecords(second, '0.1.0', [tightened('At most 50.', 'additive')], '2027-01-10');
    assert.deepEqual(datesOf(eased), [['At most 50.', '2027-01-10']]);
  });

  it('when the feed is made, then each entry has a unique ID and its own day, and the newest is first', () => {
    const recorded = updatedRecords([], '0.1.0', PLANTED.changes, '2026-11-28');
    const [merged] = PLANTED.changes as [JudgedChange];
    const feed = apiChangeFeed(updatedRecords(recorded, '0.2.0', [merged], '2027-01-10'), 'https://docs.example/');
    const ids = [...feed.matchAll(/<id>(.*?)<\/id>/g)].map(([, id = '']) => id);
    assert.equal(ids[1], 'urn:sitefleet:api-changes:0.2.0:v2:operation-added:tags_merge');
    assert.equal(new Set(ids).size, 6);
    const days = [...feed.matchAll(/<updated>(.*?)<\/updated>/g)].map(([, day = '']) => day);
    const [newest, old] = ['2027-01-10T00:00:00Z', '2026-11-28T00:00:00Z'];
    assert.deepEqual(days, [newest, newest, old, old, old, old]);
    assert.match(feed, /<title>New &lt;one&gt; &amp; other\.<\/title>/);
    assert.match(feed, /<link href="https:\/\/docs\.example\/reference\/v2\/tags_merge"\/>/);
    assert.match(feed, /<category term="breaking"\/>/);
  });

  it('when the feed of this contract is made, then it follows RFC 4287', async () => {
    const { records } = await readApiChanges();
    const feed = apiChangeFeed(records, '/docs/');
    const entries = feed.split('<entry>').slice(1);
    assert.equal(entries.length, records.length);
    assert.equal(new Set(records.map(keyOf)).size, records.length);
    for (const entry of entries) {
      for (const element of ['id', 'title', 'updated'])
        assert.equal(entry.split(`<${element}>`).length, 2, `${element} of ${entry}`);
      assert.match(entry, /<id>urn:sitefleet:[\w.~:@!$&;'()*+,=%-]+<\/id>/);
      assert.match(entry, /<updated>\d{4}-\d\d-\d\dT00:00:00Z<\/updated>/);
    }
  });

  it('when the contract is compared with the last release, then the deprecated paths are listed', async () => {
    const { changes } = await readApiChanges();
    const deprecated = changes.filter(({ kind }) => kind === 'operation-deprecated').map(({ subject }) => subject);
    assert.deepEqual(deprecated.sort(), ['domain_monitor_manual', 'domain_monitor_manual_delete']);
    const messages = changes.map(({ message }) => message);
    assert.ok(messages.includes('domain_monitor_manual is deprecated.'));
    assert.ok(changes.every(({ level, kind }) => level !== 'editorial' && kind !== 'error-code-added'));
  });
});
