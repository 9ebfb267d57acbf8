/** Pages that are generated from the contract: surfaces, parts and operations. */
import { addressOf, methodOf, pageAddressOf, type OperationEntry, type Part, type SurfaceDocument } from './entries.ts';
import { lowerHeadings, inlineText, safeText } from './markdown.ts';
import { operationPage } from './operation-page.ts';
import type { DocsPage } from './pages.ts';

export const NAMES = { abilities: 'Abilities', v2: 'REST v2' } as const;

export const partAddress = (surface: string, part: string): string => `/reference/${surface}/parts/${part}`;

export function referencePages(document: SurfaceDocument): DocsPage[] {
  return [
    surfacePage(document),
    ...document.parts.flatMap((part) => [partPage(document, part), ...part.entries.map(entryPage)]),
  ];
}

function surfacePage(document: SurfaceDocument): DocsPage {
  const { surface, title, summary, description, parts, chapters } = document;
  const contract = ['json', 'yaml'].map((format) => `[${format.toUpperCase()}](/openapi/${surface}.${format})`);
  const { introduction, details } = splitAtHeading(description);
  const sections = [
    `# ${title}`,
    inlineText(summary),
    safeText(introduction),
    `A running service serves the OpenAPI document as ${contract.join(' and ')}.`,
    '## Operations',
    ...parts.flatMap((part) => [
      `### [${part.name}](${partAddress(surface, part.name)})`,
      inlineText(part.description),
      operationTable(part.entries),
    ]),
    safeText(details),
    ...chapters.flatMap(({ name, description: text }) => [`## ${name}`, lowerHeadings(safeText(text), 1)]),
  ];
  return {
    address: `/reference/${surface}/`,
    title,
    summary,
    group: '',
    area: surface,
    source: null,
    markdown: `${sections.filter((section) => section !== '').join('\n\n')}\n`,
  };
}

function partPage({ surface }: SurfaceDocument, { name, description, entries }: Part): DocsPage {
  return {
    address: partAddress(surface, name),
    title: `${NAMES[surface]}: ${name}`,
    summary: inlineText(description),
    group: name,
    area: surface,
    source: null,
    markdown: `${[`# ${NAMES[surface]}: ${name}`, safeText(description), operationTable(entries)].join('\n\n')}\n`,
  };
}

const operationTable = (entries: readonly OperationEntry[]): string =>
  [
    '| Operation | Method and path |',
    '| --- | --- |',
    ...entries.map(
      (entry) =>
        `| [${entry.title}](${pageAddressOf(entry)}) (\`${entry.id}\`) | \`${methodOf(entry)} ${addressOf(entry)}\` |`,
    ),
  ].join('\n');

/** Splits a description at its first heading, so that the operations can stand before long details. */
function splitAtHeading(description: string): { introduction: string; details: string } {
  const [introduction = '', ...details] = description.split(/^(?=## )/m);
  return { introduction: introduction.trim(), details: details.join('').trim() };
}

function entryPage(entry: OperationEntry): DocsPage {
  return {
    address: pageAddressOf(entry),
    title: entry.title,
    summary: inlineText(entry.description),
    group: entry.part,
    area: entry.surface,
    source: null,
    markdown: operationPage(entry, 'site'),
    markdownPage: operationPage(entry, 'plain'),
    entry,
  };
}
