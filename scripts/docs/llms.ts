/** The site for readers that are programs: `/llms.txt` lists the Markdown of every page. */
import { markdownFileOf, type DocsPage } from './pages.ts';

/** Removes the HTML elements that only group parts of a page. */
export const markdownPageOf = ({ markdownPage: twin, markdown }: DocsPage): string =>
  twin ?? markdown.replace(/^<\/?div[^>]*>\n+/gm, '');

/** `base` is where the site is served. */
export function llmsText(pages: readonly DocsPage[], base: string): string {
  const lists = new Map<string, string[]>();
  for (const page of pages) {
    const title = { guides: 'Guides', abilities: 'Abilities', v2: 'REST v2' }[page.area] ?? 'Start';
    const name = page.entry ? `${page.title} (${page.entry.id})` : page.title;
    const line = `- [${name}](${base}${markdownFileOf(page.address)})${page.summary ? `: ${page.summary}` : ''}`;
    lists.set(title, [...(lists.get(title) ?? []), line]);
  }
  return [
    '# Sitefleet',
    '',
    '> An API-first, self-hosted dashboard for a fleet of WordPress sites. Two OpenAPI surfaces: named abilities',
    '> (`/abilities/v1`) and REST routes (`/api/v2`).',
    ...[...lists].flatMap(([title, lines]) => ['', `## ${title}`, '', ...lines]),
    '',
  ].join('\n');
}
