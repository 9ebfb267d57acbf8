/** HTML of a page: header, navigation, content and outline. */
import { API_CHANGE_FEED } from './api-changes.ts';
import { methodOf, addressOf } from './entries.ts';
import type { Navigation, NavigationGroup } from './navigation.ts';
import { relativeLink, markdownFileOf, type DocsPage } from './pages.ts';
import { escapeHtml } from './highlight.ts';
import type { RenderedPage } from './renderer.ts';
import { TRY_IT_HEADING, tryItMarkup } from './try-it.ts';

/** Addresses of the files that every page loads. */
export interface Assets {
  style: string;
  /** Script that sets the colour theme before the page is shown. */
  theme: string;
  script: string;
  search: string;
}

const AREAS = [
  { address: '/guides/', area: 'guides', name: 'Guides' },
  { address: '/reference/abilities/', area: 'abilities', name: 'Abilities' },
  { address: '/reference/v2/', area: 'v2', name: 'REST v2' },
] as const;

export function layout(page: DocsPage, rendered: RenderedPage, navigation: Navigation, assets: Assets): string {
  const to = (address: string): string => escapeHtml(relativeLink(page.address, address));
  const title = page.address === '/' ? 'Sitefleet' : `${page.title} · Sitefleet`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<meta name="description" content="${escapeHtml(page.summary)}">
<link rel="alternate" type="text/markdown" href="${to(`/${markdownFileOf(page.address)}`)}">
<link rel="alternate" type="application/atom+xml" title="Changes of the API" href="${to(`/${API_CHANGE_FEED}`)}">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${to(assets.style)}">
<script src="${to(assets.theme)}"></script>
<script src="${to(assets.script)}" type="module" data-search="${to(assets.search)}" data-root="${to('/')}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header>
<a class="brand" href="${to('/')}">Sitefleet</a>
<nav aria-label="Sections"><ul>${AREAS.map(({ address, area, name }) => areaItem(page, to(address), area, name)).join('')}</ul></nav>
<button type="button" id="search-open" hidden>Search <kbd>/</kbd></button>
<button type="button" id="theme" hidden>Theme</button>
</header>
<div class="columns">
${sidebar(navigation, to)}
<main id="content">
${page.entry ? entryHead(rendered.html, page) : rendered.html}
${page.entry ? tryItMarkup(page.entry) : ''}
</main>
${page.address === '/' ? '' : outline(rendered, page)}
</div>
<footer><p><a href="${to(`/${markdownFileOf(page.address)}`)}">This page as Markdown</a>${
    page.area === 'home' ? '' : ` · <a href="${to('/changelog')}">Changelog</a>`
  }</p></footer>
</body>
</html>
`;
}

function areaItem(page: DocsPage, href: string, area: string, name: string): string {
  const current = page.area === area ? ' aria-current="true"' : '';
  return `<li><a href="${href}"${current}>${name}</a></li>`;
}

function sidebar({ label, groups }: Navigation, to: (address: string) => string): string {
  if (groups.length === 0) return '';
  const group = ({ title, address, items, isOpen }: NavigationGroup): string => {
    const list = items.map(
      (item) =>
        `<li><a href="${to(item.address)}"${item.isCurrent ? ' aria-current="page"' : ''}>${escapeHtml(item.title)}</a></li>`,
    );
    const head = address
      ? `<a href="${to(address)}"${isOpen && items.every((item) => !item.isCurrent) ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a>`
      : escapeHtml(title);
    return `<li><span class="group">${head}</span>${list.length > 0 ? `<ul>${list.join('')}</ul>` : ''}</li>`;
  };
  return `<nav class="sidebar" aria-label="${escapeHtml(label)}"><details open><summary>${escapeHtml(label)}</summary><ul>${groups
    .map(group)
    .join('')}</ul></details></nav>`;
}

/** Adds method, path and operation ID below the heading. */
function entryHead(html: string, { entry }: DocsPage): string {
  if (!entry) return html;
  const method = methodOf(entry);
  const head =
    `<p class="operation"><span class="method ${method.toLowerCase()}">${method}</span> ` +
    `<code>${escapeHtml(addressOf(entry))}</code></p>\n<p class="id">Operation ID: <code>${escapeHtml(entry.id)}</code></p>\n`;
  return html.replace('</h1>\n', (end) => `${end}${head}`);
}

const MIN_OUTLINE_HEADINGS = 3;

function outline({ headings }: RenderedPage, { entry }: DocsPage): string {
  const shown = headings.filter(({ level }) => level === 2);
  if (entry) shown.push(TRY_IT_HEADING);
  if (shown.length < MIN_OUTLINE_HEADINGS) return '';
  const items = shown.map(({ id, text }) => `<li><a href="#${escapeHtml(id)}">${escapeHtml(text)}</a></li>`);
  return `<nav class="outline" aria-label="On this page"><p>On this page</p><ul>${items.join('')}</ul></nav>`;
}
