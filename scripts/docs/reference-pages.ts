/** Pages that are made from the contract: a surface, its parts and its operations. */
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
  const contract = ['json', 'yaml'].map((form) => `[${form.toUpperCase()}](/openapi/${surface}.${form})`).join(' or ');
  const sections = [
    `# ${title}`,
    inlineText(summary),
    safeText(description),
    `OpenAPI document of a running service: ${contract}.`,
    '## Operations',
    ...parts.flatMap((part) => [
      `### ${part.name}`,
      `${inlineText(part.description)} [Operations on one page](${partAddress(surface, part.name)})`,
      part.entries.map(lineOf).join('\n'),
    ]),
    ...chapters.flatMap(({ name, description: text }) => [`## ${name}`, lowerHeadings(safeText(text), 1)]),
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

function partPage({ surface }: SurfaceDocument, { name, description, entries }: Part): DocsPage {
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

/** Includes method and path, so that readers find an operation by either. */
const lineOf = (entry: OperationEntry): string =>
  `- [${entry.title}](${pageAddressOf(entry)}) \`${entry.id}\`, \`${methodOf(entry)} ${addressOf(entry)}\``;

function entryPage(entry: OperationEntry): DocsPage {
  return {
    address: pageAddressOf(entry),
    title: entry.title,
    summary: inlineText(entry.description),
    group: entry.part,
    area: entry.surface,
    source: null,
    markdown: operationPage(entry, 'site'),
    markdownPage: operationPage(entry, 'twin'),
    entry,
  };
}
