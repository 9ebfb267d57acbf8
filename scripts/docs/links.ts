import { existsSync } from 'node:fs';
import { posix } from 'node:path';
import { relativeLink, markdownFileOf, type DocsPage } from './pages.ts';
import type { ResolveLink } from './renderer.ts';

/** Path of the site on a service. */
const BASE = '/docs';

/** A link without a target: the address of its page and the `href`. */
export interface BrokenLink {
  page: string;
  href: string;
}

interface SiteFile {
  address: string;
  /** Path in the repository. Null if the build creates the file. */
  source: string | null;
}

export class LinkResolver {
  readonly broken: BrokenLink[] = [];
  readonly #addresses: Set<string>;
  readonly #bySource: Map<string, string>;

  /** `files` are files of the site that are no pages. */
  constructor(pages: readonly DocsPage[], files: readonly SiteFile[]) {
    const targets: SiteFile[] = [...pages, ...files];
    this.#addresses = new Set(targets.map(({ address }) => address));
    this.#bySource = new Map(targets.flatMap(({ source, address }) => (source ? [[source, address]] : [])));
  }

  /** Resolves links in the HTML of a page. */
  from(page: DocsPage): ResolveLink {
    return (href) => this.#resolve(page, href, (address) => relativeLink(page.address, address));
  }

  /** Returns Markdown whose links lead to the Markdown of other pages. */
  forMarkdownPage(page: DocsPage, markdown: string): string {
    const folder = posix.dirname(`/${markdownFileOf(page.address)}`);
    const link = (address: string): string => {
      const [path = '', hash] = address.split('#');
      return (
        posix.relative(folder, posix.extname(path) === '' ? `/${markdownFileOf(path)}` : path) +
        (hash === undefined ? '' : `#${hash}`)
      );
    };
    return replaceOutsideCodeBlocks(markdown, (text) =>
      text.replace(LINK_OR_CODE, (whole: string, words: string | undefined, href: string) => {
        if (words === undefined || href.startsWith('#')) return whole;
        const target = this.#resolve(page, href, link);
        return target === null ? words : `[${words}](${target})`;
      }),
    );
  }

  #resolve(page: DocsPage, href: string, write: (address: string) => string): string | null {
    if (/^[a-z]+:/i.test(href) || href.startsWith('/openapi/')) return href;
    const [path = '', hash] = href.split('#');
    const address = this.#addressOf(page, path);
    if (address !== null) return write(hash === undefined ? address : `${address}#${hash}`);
    // Files that are not on the site become plain text.
    if (page.source === null || path.startsWith('/') || !existsSync(this.#fileOf(page, path)))
      this.broken.push({ page: page.address, href });
    return null;
  }

  #fileOf = ({ source }: DocsPage, path: string): string => posix.join(posix.dirname(source ?? ''), path);

  #addressOf(page: DocsPage, path: string): string | null {
    if (!path.startsWith('/')) return this.#bySource.get(this.#fileOf(page, path)) ?? null;
    const below = path.startsWith(`${BASE}/`) || path === BASE ? path.slice(BASE.length) : path;
    const plain = below.replace(/\.(html|md)$/, '').replace(/\/index$/, '/');
    return [plain, `${plain}/`].find((address) => this.#addresses.has(address)) ?? null;
  }
}

/** Skips code spans, except inside of link texts. */
const LINK_OR_CODE = /`[^`\n]*`|\[((?:`[^`\n]*`|[^\]`])*)\]\(([^)\s]+)\)/g;

function replaceOutsideCodeBlocks(markdown: string, change: (text: string) => string): string {
  return markdown
    .split(/(```[\s\S]*?\n```)/)
    .map((piece, index) => (index % 2 === 1 ? piece : change(piece)))
    .join('');
}
