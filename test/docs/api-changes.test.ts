import assert from 'node:assert/strict';
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
  deprecatedSince: new Map([['tags_edit', '2026-12-01']]),
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

  it('when the feed is made, then entries have unique, stable IDs, and a deprecation has its own day', () => {
    const feed = (day: string): string => apiChangeFeed(PLANTED, 'https://docs.example/', new Date(day));
    const [first, later] = [feed('2026-11-28'), feed('2026-12-24')];
    const idsOf = (text: string): string[] => [...text.matchAll(/<id>(.*?)<\/id>/g)].map(([, id = '']) => id);
    assert.equal(new Set(idsOf(first)).size, 5);
    assert.deepEqual(idsOf(first), idsOf(later));
    assert.match(first, /<title>New &lt;one&gt; &amp; other\.<\/title>/);
    assert.match(first, /<title>Deprecated\.<\/title>\n<updated>2026-12-01T00:00:00\.000Z<\/updated>/);
    assert.match(first, /<link href="https:\/\/docs\.example\/reference\/v2\/tags_merge"\/>/);
    assert.match(first, /<category term="breaking"\/>/);
  });

  it('when the contract is compared with the last release, then the deprecated paths are listed', async () => {
    const { changes, deprecatedSince } = await readApiChanges();
    const deprecated = changes.filter(({ kind }) => kind === 'operation-deprecated').map(({ subject }) => subject);
    assert.deepEqual(deprecated.sort(), ['domain_monitor_manual', 'domain_monitor_manual_delete']);
    assert.equal(deprecatedSince.get('domain_monitor_manual'), '2026-12-01');
    assert.ok(changes.every(({ level, kind }) => level !== 'editorial' && kind !== 'error-code-added'));
  });
});
