/** Pages that are made from the contract: a surface, its parts and its operations. */
import { addressOf, methodOf, pageOf, type Entry, type Part, type SurfaceDocument } from './entries.ts';
import { deeper, inlineText, safeText } from './markdown.ts';
import { operationPage } from './operation-page.ts';
import type { Page } from './pages.ts';

export const NAMES = { abilities: 'Abilities', v2: 'REST v2' } as const;

export const partAddress = (surface: string, part: string): string => `/reference/${surface}/parts/${part}`;

export function referencePages(document: SurfaceDocument): Page[] {
  return [
    surfacePage(document),
    ...document.parts.flatMap((part) => [partPage(document, part), ...part.entries.map(entryPage)]),
  ];
}

function surfacePage(document: SurfaceDocument): Page {
  const { surface, title, summary, description, parts, chapters } = document;
  const contract = ['json', 'yaml'].map((form) => `[${form.toUpperCase()}](/openapi/${surface}.${form})`).join(' or ');
  const sections = [
    `# ${title}`,
    inlineText(summary),
    safeText(description),
    `The contract of a running service: ${contract}.`,
    '## Operations',
    ...parts.flatMap((part) => [
      `### ${part.name}`,
      `${inlineText(part.description)} [All on a page](${partAddress(surface, part.name)})`,
      part.entries.map(lineOf).join('\n'),
    ]),
    ...chapters.flatMap(({ name, description: text }) => [`## ${name}`, deeper(safeText(text), 1)]),
  ];
  return {
    address: `/reference/${surface}/`,
    title,
    summary,
    group: '',
    area: surface,
    source: null,
    markdown: `${sections.join('\n\n')}\n`,
  };
}

function partPage({ surface }: SurfaceDocument, { name, description, entries }: Part): Page {
  return {
    address: partAddress(surface, name),
    title: `${NAMES[surface]}: ${name}`,
    summary: inlineText(description),
    group: name,
    area: surface,
    source: null,
    markdown: `${[`# ${NAMES[surface]}: ${name}`, safeText(description), entries.map(lineOf).join('\n')].join('\n\n')}\n`,
  };
}

/** `GET` and the address stand in the list too, so that a reader finds an operation by either. */
const lineOf = (entry: Entry): string =>
  `- [${entry.title}](${pageOf(entry)}) \`${entry.id}\`, \`${methodOf(entry)} ${addressOf(entry)}\``;

function entryPage(entry: Entry): Page {
  return {
    address: pageOf(entry),
    title: entry.title,
    summary: inlineText(entry.description),
    group: entry.part,
    area: entry.surface,
    source: null,
    markdown: operationPage(entry, 'site'),
    twin: operationPage(entry, 'twin'),
    entry,
  };
}
