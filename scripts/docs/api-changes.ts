import { readFile } from 'node:fs/promises';
import type { Level } from '../../src/contract-checks/index.ts';
import { readGeneratedDocuments, readLastRelease } from '../check/changes/releases.ts';
import { judgeChanges, type JudgedChange } from '../check/changes/verdict.ts';
import { handlerIdOf, operationsOf } from '../../src/contract/index.ts';
import { escapeHtml } from './highlight.ts';

export interface ApiChanges {
  /** Version of the last release, which the present contract is compared with. */
  since: string;
  changes: JudgedChange[];
  /** First day of the deprecation (UTC) by operation ID. */
  deprecatedSince: ReadonlyMap<string, string>;
}

/** Changes that nearly every operation shares. The changelog describes them once. */
const COMMON = new Set(['error-code-added', 'status-added', 'header-added']);
const MAX_LINKS = 3;

export async function readApiChanges(): Promise<ApiChanges> {
  const [{ version, documents }, present, changelog] = await Promise.all([
    readLastRelease(),
    readGeneratedDocuments(),
    readFile('CHANGELOG.md', 'utf8'),
  ]);
  const isListed = ({ level, kind, subject }: JudgedChange): boolean =>
    level !== 'editorial' && !COMMON.has(kind) && handlerIdOf(subject) === subject;
  const deprecated = Object.values(present).flatMap((document) =>
    operationsOf(document).flatMap(({ operation }) => {
      const since = operation['x-deprecation']?.since;
      return since === undefined ? [] : [[operation.operationId, since] as const];
    }),
  );
  const { changes } = judgeChanges(documents, present, changelog);
  return {
    since: version,
    changes: changes
      .filter(isListed)
      .map((change) => ({ ...change, message: change.message.charAt(0).toUpperCase() + change.message.slice(1) })),
    deprecatedSince: new Map(deprecated),
  };
}

const SECTIONS: readonly { title: string; includes: (change: JudgedChange) => boolean }[] = [
  { title: 'Breaking changes', includes: ({ level }) => level === 'breaking' },
  { title: 'Deprecated operations', includes: ({ kind }) => kind === 'operation-deprecated' },
  { title: 'New operations', includes: ({ kind }) => kind === 'operation-added' },
  { title: 'Other additions', includes: ({ level }) => level === ('additive' satisfies Level) },
];

/** Returns lists of all changes in Markdown. Each change is in the first section that fits. */
export function apiChangeLists({ since, changes }: ApiChanges): string {
  const left = new Set(changes);
  const sections = SECTIONS.map(({ title, includes }) => {
    const own = [...left].filter(includes);
    for (const change of own) left.delete(change);
    return [`## ${title}`, '', ...(own.length > 0 ? own.map(lineOf) : [`None since ${since}.`])].join('\n');
  });
  return [`Since version ${since}:`, ...sections].join('\n\n');
}

function lineOf({ message, surface, operations }: JudgedChange): string {
  const ids = [...new Set(operations.map(handlerIdOf))];
  const links = ids.slice(0, MAX_LINKS).map((id) => `[${id}](/reference/${surface}/${id})`);
  const further = ids.length > MAX_LINKS ? ` and ${ids.length - MAX_LINKS} others` : '';
  return `- ${message}${links.length > 0 ? ` (${links.join(', ')}${further})` : ''}`;
}

/**
 * Returns an Atom feed (RFC 4287) with an entry per change. The IDs of entries stay the same, so that readers show each
 * once. The contract stores no times except those of deprecations; other entries have the time of the build.
 */
export function apiChangeFeed({ since, changes, deprecatedSince }: ApiChanges, base: string, builtAt: Date): string {
  const url = (path: string): string => escapeHtml(base.replace(/\/$/, '') + path);
  const entries = changes.map(({ level, kind, surface, subject, message, operations }) => {
    const [operation = subject] = operations.map(handlerIdOf);
    const day = kind === 'operation-deprecated' ? deprecatedSince.get(subject) : undefined;
    return `<entry>
<id>urn:sitefleet:api-changes:${[since, surface, kind, subject].map(encodeURIComponent).join(':')}</id>
<title>${escapeHtml(message)}</title>
<updated>${day === undefined ? builtAt.toISOString() : `${day}T00:00:00.000Z`}</updated>
<category term="${level}"/>
<link href="${url(`/reference/${surface}/${operation}`)}"/>
<content type="text">${escapeHtml(`${message} Operations: ${[...new Set(operations.map(handlerIdOf))].join(', ')}.`)}</content>
</entry>`;
  });
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>urn:sitefleet:api-changes</id>
<title>Sitefleet: changes of the API</title>
<author><name>Sitefleet</name></author>
<updated>${builtAt.toISOString()}</updated>
<link rel="self" href="${url(`/${API_CHANGE_FEED}`)}"/>
<link href="${url('/guides/api-changes')}"/>
${entries.join('\n')}
</feed>
`;
}

export const API_CHANGE_FEED = 'api-changes.atom';
