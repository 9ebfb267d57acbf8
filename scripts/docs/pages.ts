/** What the site is made of, before it is rendered. */
import { posix } from 'node:path';
import type { OperationEntry } from './entries.ts';

export interface DocsPage {
  /** Below the root of the site; an index ends with `/`. */
  address: string;
  title: string;
  /** One line for lists and searches. */
  summary: string;
  /** Heading of the list that it stands in: a group of guides, or a part of a surface. */
  group: string;
  /** What navigation belongs to it: `guides`, or the name of a surface. */
  area: string;
  /** File that links in it are relative to; null where all of its links are addresses of the site. */
  source: string | null;
  markdown: string;
  /** Where it reads otherwise as plain Markdown. */
  markdownPage?: string;
  entry?: OperationEntry;
}

const isIndex = (address: string): boolean => address.endsWith('/');
export const htmlFileOf = (address: string): string => `${address.slice(1)}${isIndex(address) ? 'index' : ''}.html`;
export const markdownFileOf = (address: string): string => `${address.slice(1)}${isIndex(address) ? 'index' : ''}.md`;

/** From one page to another, or to a file, so that the site works below any address. */
export function relativeLink(from: string, to: string): string {
  const [path = '', hash] = to.split('#');
  const isFile = posix.extname(path) !== '';
  const target = isIndex(path) || isFile ? path : `${path}.html`;
  const folder = isIndex(from) ? from : posix.dirname(from);
  const relativePath = posix.relative(folder, target);
  const link = isIndex(target) ? `${relativePath === '' ? '.' : relativePath}/` : relativePath;
  return hash === undefined ? link : path === from ? `#${hash}` : `${link}#${hash}`;
}
