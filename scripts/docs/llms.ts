/** Markdown pages for programs, and `/llms.txt`, which lists them. */
import { markdownFileOf, type DocsPage } from './pages.ts';

/** Removes the HTML elements that only group parts of a page. */
export const markdownPageOf = ({ markdownPage, markdown }: DocsPage): string =>
  markdownPage ?? markdown.replace(/^<\/?div[^>]*>\n+/gm, '');

/** `base` is the URL of the site. */
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
    '> Sitefleet is an API-first, self-hosted dashboard for a fleet of WordPress sites. It has two HTTP APIs, each',
    '> described by an OpenAPI document: abilities (`/abilities/v1`) and REST routes (`/api/v2`).',
    ...[...lists].flatMap(([title, lines]) => ['', `## ${title}`, '', ...lines]),
    '',
  ].join('\n');
}
