/** Pages of the site, before they are rendered. */
import { posix } from 'node:path';
import type { OperationEntry } from './entries.ts';

export interface DocsPage {
  /** Path below the root of the site. Index pages end with `/`. */
  address: string;
  title: string;
  summary: string;
  /** Group of guides, or part of a surface. */
  group: string;
  /** Area of the navigation: `guides`, or the name of a surface. */
  area: string;
  /** File that relative links refer to. Null if all links are paths of the site. */
  source: string | null;
  markdown: string;
  /** Markdown without HTML, if it differs from `markdown`. */
  markdownPage?: string;
  entry?: OperationEntry;
}

const isIndex = (address: string): boolean => address.endsWith('/');
export const htmlFileOf = (address: string): string => `${address.slice(1)}${isIndex(address) ? 'index' : ''}.html`;
export const markdownFileOf = (address: string): string => `${address.slice(1)}${isIndex(address) ? 'index' : ''}.md`;

/** Returns a relative link to a page or file, so that the site works below any path. */
export function relativeLink(from: string, to: string): string {
  const [path = '', hash] = to.split('#');
  const isFile = posix.extname(path) !== '';
  const target = isIndex(path) || isFile ? path : `${path}.html`;
  const folder = isIndex(from) ? from : posix.dirname(from);
  const relativePath = posix.relative(folder, target);
  const link = isIndex(target) ? `${relativePath === '' ? '.' : relativePath}/` : relativePath;
  return hash === undefined ? link : path === from ? `#${hash}` : `${link}#${hash}`;
}
