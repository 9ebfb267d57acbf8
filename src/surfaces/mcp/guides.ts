import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { GENERATED_FOLDER } from '../generated-files.ts';
import type { OperationCatalog } from './operation-catalog.ts';

export interface Guide {
  name: string;
  title: string;
  text: string;
}

/** Folders of the guides: the first is written by the build and has generated tables, the second has the sources. */
const FOLDERS = [join(GENERATED_FOLDER, 'docs', 'guides'), join(dirname(GENERATED_FOLDER), 'docs', 'guides')];
const NAME = /^(?!index\.)([a-z0-9-]+)\.md$/;
const TITLE = /^(?:# |title: *(?:'|")?)(.+?)(?:'|")? *$/m;

let cachedGuides: Promise<Guide[]> | undefined;

export const listGuides = (): Promise<Guide[]> => (cachedGuides ??= readGuides());

async function readGuides(): Promise<Guide[]> {
  for (const folder of FOLDERS) {
    const files = (await readdir(folder).catch(() => [])).filter((file) => NAME.test(file)).sort();
    if (files.length > 0) return Promise.all(files.map((file) => readGuide(folder, file)));
  }
  return [];
}

async function readGuide(folder: string, file: string): Promise<Guide> {
  const text = await readFile(join(folder, file), 'utf8');
  const name = file.replace(NAME, '$1');
  return { name, title: TITLE.exec(text)?.[1] ?? name, text };
}

export interface LinkTargets {
  catalog: OperationCatalog;
  publicUrl: string;
}

/**
 * Replaces the links in a Markdown text with links to MCP resources or to URLs of the service. Links in the text are
 * relative to `/docs/guides`. Links in code are not replaced.
 */
export const withResourceLinks = (markdown: string, targets: LinkTargets): string =>
  markdown
    .split(/(```[\s\S]*?\n```|`[^`\n]*`)/)
    .map((piece, index) => (index % 2 === 1 ? piece : replaceLinks(piece, /\]\(([^)\s]+)\)/g, targets)))
    .join('');

export const withResourceLinksInJson = (json: string, targets: LinkTargets): string =>
  replaceLinks(json, /\]\((\/docs\/[^)\s"\\]+)\)/g, targets);

const replaceLinks = (text: string, link: RegExp, targets: LinkTargets): string =>
  text.replace(link, (_, href: string) => `](${targetOf(href, targets)})`);

function targetOf(href: string, { catalog, publicUrl }: LinkTargets): string {
  if (href.startsWith('#') || /^[a-z]+:/i.test(href)) return href;
  const { pathname, hash } = new URL(href, 'http://localhost/docs/guides/');
  const [, guide] = /^\/docs\/guides\/([a-z0-9-]+)(?:\.md)?$/.exec(pathname) ?? [];
  if (guide !== undefined) return `sitefleet://guides/${guide}${hash}`;
  const [, operation = ''] = /^\/docs\/reference\/(?:abilities|v2)\/([\w-]+?)(?:\.md)?$/.exec(pathname) ?? [];
  return catalog.has(operation) ? `sitefleet://operations/${operation}` : `${publicUrl}${pathname}${hash}`;
}
