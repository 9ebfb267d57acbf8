/** All files of the site: HTML and Markdown of each page, scripts, styles, search index, `llms.txt`, and contracts. */
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { build } from 'esbuild';
import { stringify } from 'yaml';
import { contractText } from '../../src/surfaces/generated-files.ts';
import { SURFACES } from '../../src/contract/surfaces.ts';
import { API_CHANGE_FEED, apiChangeFeed, apiChangeLists, readApiChanges, type ApiChanges } from './api-changes.ts';
import { surfaceDocuments } from './entries.ts';
import { errorCodeTable } from './error-codes.ts';
import { exampleFiles } from './example-files.ts';
import { guidePages, homePage, guideList } from './guides.ts';
import { layout, type Assets } from './layout.ts';
import { LinkResolver, type BrokenLink } from './links.ts';
import { llmsText, markdownPageOf } from './llms.ts';
import { navigationOf } from './navigation.ts';
import { permissionTable } from './permissions.ts';
import { htmlFileOf, markdownFileOf, type DocsPage } from './pages.ts';
import { referencePages } from './reference-pages.ts';
import { renderMarkdown } from './renderer.ts';
import { searchDocuments } from './search-documents.ts';

export interface GeneratedSite {
  files: Map<string, string>;
  broken: BrokenLink[];
}

const BROWSER = 'scripts/docs/browser';
/** Guides show these pictures with links such as `../images/report.png`. */
export const IMAGES = 'docs/images';

function sitePages(changes: ApiChanges): DocsPage[] {
  const surfaces = surfaceDocuments();
  const guides = guidePages({
    'error codes': errorCodeTable(surfaces),
    permissions: permissionTable(surfaces),
    'changes of the API': apiChangeLists(changes),
  });
  return [homePage(), guideList(guides), ...guides, ...surfaces.flatMap(referencePages)];
}

/** `base` is the URL of the site in `llms.txt`. `extraScript` is appended to the script of every page. */
export async function generateSite(base: string, extraScript = ''): Promise<GeneratedSite> {
  const changes = await readApiChanges();
  const pages = sitePages(changes);
  const files = new Map<string, string>();
  const assets = await makeAssets(pages, files, extraScript);
  const examples = exampleFiles();
  for (const { address, text } of examples) files.set(address.slice(1), text);
  const images = readdirSync(IMAGES).map((name) => ({ source: `${IMAGES}/${name}`, address: `/images/${name}` }));
  const links = new LinkResolver(pages, [{ source: null, address: `/${API_CHANGE_FEED}` }, ...examples, ...images]);
  for (const page of pages) {
    const rendered = renderMarkdown(page.markdown, links.from(page));
    files.set(htmlFileOf(page.address), layout(page, rendered, navigationOf(page, pages), assets));
    files.set(markdownFileOf(page.address), links.forMarkdownPage(page, markdownPageOf(page)));
  }
  files.set(API_CHANGE_FEED, apiChangeFeed(changes.records, base));
  files.set('llms.txt', llmsText(pages, base));
  files.set('llms-full.txt', pages.map((page) => files.get(markdownFileOf(page.address))).join('\n\n---\n\n'));
  // YAML aliases would make the text smaller, but client generators fail on them.
  for (const surface of SURFACES)
    files.set(
      `openapi/${surface}.yaml`,
      stringify(JSON.parse(contractText(surface)), { aliasDuplicateObjects: false }),
    );
  return { files, broken: links.broken };
}

/** Names contain a hash of the content, so that browsers can cache the files forever. */
async function makeAssets(
  pages: readonly DocsPage[],
  files: Map<string, string>,
  extraScript: string,
): Promise<Assets> {
  const add = (name: string, ending: string, text: string): string => {
    const hash = createHash('sha256').update(text).digest('hex').slice(0, 10);
    const address = `/assets/${name}.${hash}.${ending}`;
    files.set(address.slice(1), text);
    return address;
  };
  const [style, theme, main] = await Promise.all([
    bundled('site.css'),
    bundled('theme.ts', 'iife'),
    bundled('main.ts'),
  ]);
  return {
    style: add('site', 'css', style),
    theme: add('theme', 'js', theme),
    script: add('main', 'js', main + extraScript),
    search: add('search', 'json', JSON.stringify(searchDocuments(pages))),
  };
}

async function bundled(file: string, format: 'iife' | 'esm' = 'esm'): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [`${BROWSER}/${file}`],
    bundle: true,
    minify: true,
    format,
    target: 'es2022',
    write: false,
    logLevel: 'warning',
  });
  return outputFiles[0]?.text ?? '';
}
