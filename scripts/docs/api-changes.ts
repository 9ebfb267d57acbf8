import { readFile } from 'node:fs/promises';
import type { Level } from '../../src/contract-checks/index.ts';
import { handlerIdOf } from '../../src/contract/index.ts';
import { keyOf, notableChanges, readRecords, type RecordedChange } from '../check/changes/records.ts';
import { readGeneratedDocuments, readLastRelease } from '../check/changes/releases.ts';
import { judgeChanges, type JudgedChange } from '../check/changes/verdict.ts';
import { escapeHtml } from './highlight.ts';

export interface ApiChanges {
  /** Version of the last release, which the present contract is compared with. */
  since: string;
  changes: JudgedChange[];
  /** Changes with their days, those between earlier releases too. */
  records: RecordedChange[];
}

const MAX_LINKS = 3;

export async function readApiChanges(): Promise<ApiChanges> {
  const [{ version, documents }, present, changelog, records] = await Promise.all([
    readLastRelease(),
    readGeneratedDocuments(),
    readFile('CHANGELOG.md', 'utf8'),
    readRecords(),
  ]);
  const { changes } = judgeChanges(documents, present, changelog);
  return { since: version, changes: notableChanges(changes), records };
}

type ListedChange = Pick<JudgedChange, 'level' | 'kind' | 'message' | 'surface' | 'operations'>;

const SECTIONS: readonly { title: string; includes: (change: ListedChange) => boolean }[] = [
  { title: 'Breaking changes', includes: ({ level }) => level === 'breaking' },
  { title: 'Deprecated operations', includes: ({ kind }) => kind === 'operation-deprecated' },
  { title: 'New operations', includes: ({ kind }) => kind === 'operation-added' },
  { title: 'Other additions', includes: ({ level }) => level === ('additive' satisfies Level) },
];

/**
 * Returns lists of all changes in Markdown: those since the last release, then those of earlier releases, newest first.
 * Each change is in the first list that fits.
 */
export function apiChangeLists({ since, changes, records }: ApiChanges): string {
  const earlier = records.filter((record) => record.since !== since);
  const versions = [...new Set(earlier.map((record) => record.since)), since];
  const ofReleases = versions
    .slice(0, -1)
    .map((before, index) => ({ before, after: versions[index + 1] ?? since }))
    .reverse()
    .flatMap(({ before, after }) => [
      `## From ${before} to ${after}`,
      ...sectionsOf(earlier.filter((record) => record.since === before)).map(({ title, own }) =>
        [`**${title}**`, '', ...own.map(lineOf)].join('\n'),
      ),
    ]);
  const present = sectionsOf(changes);
  const lists = SECTIONS.map(({ title }) => {
    const own = present.find((each) => each.title === title)?.own.map(lineOf);
    return [`## ${title}`, '', ...(own ?? [`None since ${since}.`])].join('\n');
  });
  return [`Since version ${since}:`, ...lists, ...ofReleases].join('\n\n');
}

/** Returns the sections that have a change. */
function sectionsOf(changes: readonly ListedChange[]): { title: string; own: ListedChange[] }[] {
  const left = new Set(changes);
  return SECTIONS.flatMap(({ title, includes }) => {
    const own = [...left].filter(includes);
    for (const change of own) left.delete(change);
    return own.length > 0 ? [{ title, own }] : [];
  });
}

function lineOf({ message, surface, operations }: ListedChange): string {
  const ids = [...new Set(operations.map(handlerIdOf))];
  const links = ids.slice(0, MAX_LINKS).map((id) => `[${id}](/reference/${surface}/${id})`);
  const further = ids.length > MAX_LINKS ? ` and ${ids.length - MAX_LINKS} others` : '';
  return `- ${message}${links.length > 0 ? ` (${links.join(', ')}${further})` : ''}`;
}

/**
 * Returns an Atom feed (RFC 4287) with an entry per recorded change, newest first. It has no time of the build: two
 * builds of the same sources are the same, so that readers show each entry once.
 */
export function apiChangeFeed(records: readonly RecordedChange[], base: string): string {
  const url = (path: string): string => escapeHtml(base.replace(/\/$/, '') + path);
  const newestFirst = [...records].sort((a, b) => b.date.localeCompare(a.date));
  const entries = newestFirst.map((record) => {
    const { date, level, surface, subject, message, operations } = record;
    const [operation = subject] = operations;
    return `<entry>
<id>${escapeHtml(`urn:sitefleet:api-changes:${keyOf(record)}`)}</id>
<title>${escapeHtml(message)}</title>
<updated>${timeOf(date)}</updated>
<category term="${level}"/>
<link href="${url(`/reference/${surface}/${operation}`)}"/>
<content type="text">${escapeHtml(`${message} Operations: ${operations.join(', ')}.`)}</content>
</entry>`;
  });
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>urn:sitefleet:api-changes</id>
<title>Sitefleet: changes of the API</title>
<author><name>Sitefleet</name></author>
<updated>${timeOf(newestFirst[0]?.date ?? '1970-01-01')}</updated>
<link rel="self" href="${url(`/${API_CHANGE_FEED}`)}"/>
<link href="${url('/guides/api-changes')}"/>
${entries.join('\n')}
</feed>
`;
}

const timeOf = (date: string): string => `${date}T00:00:00Z`;

export const API_CHANGE_FEED = 'api-changes.atom';
