/** Pages that are written by hand: guides and other files of docs/. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { parse } from 'yaml';
import type { DocsPage } from './pages.ts';

const GUIDES = 'docs/guides';
const INTERNALS_GROUP = 'Internals';
/** Groups in the order of the navigation. */
export const GROUPS = ['Start', 'Use', 'Integrate', 'Operate', 'Migrate', INTERNALS_GROUP] as const;
/** Order of guides that set none. */
const LAST_ORDER = 1000;

interface FrontMatter {
  title?: string;
  order?: number;
  group?: string;
  summary?: string;
}

interface OtherFile {
  file: string;
  address: string;
  title: string;
  group: string;
  order: number;
  summary?: string;
}

const OTHER_FILES: readonly OtherFile[] = [
  {
    ...{ file: 'generated/settings.md', address: '/guides/settings', title: 'Settings', group: 'Operate', order: 70 },
    summary: 'All settings with defaults and effects.',
  },
  {
    file: 'docs/architecture.md',
    address: '/internals/architecture',
    title: 'Architecture',
    group: INTERNALS_GROUP,
    order: 10,
  },
  {
    file: 'docs/protocol.md',
    address: '/internals/protocol',
    title: 'Wire protocol',
    group: INTERNALS_GROUP,
    order: 20,
  },
  { file: 'CHANGELOG.md', address: '/changelog', title: 'Changelog', group: INTERNALS_GROUP, order: 40 },
];

/** `tables` are generated tables by name. A guide includes one with `<!-- made from the contract: <name> -->`. */
export function guidePages(tables: Readonly<Record<string, string>>): DocsPage[] {
  const pages = [
    ...writtenGuides(tables),
    ...OTHER_FILES.filter(({ file }) => existsSync(file)).map(otherPage),
    ...decisions(),
  ];
  const groups: readonly string[] = GROUPS;
  const rankOf = ({ group }: DocsPage): number => (groups.includes(group) ? groups.indexOf(group) : groups.length);
  return pages
    .sort((one, other) => rankOf(one.page) - rankOf(other.page) || one.order - other.order)
    .map(({ page }) => page);
}

export function homePage(): DocsPage {
  const source = 'docs/index.md';
  const [{ title = '', summary = '' }, markdown] = splitFrontMatter(readFileSync(source, 'utf8'));
  return { address: '/', title, summary, group: '', area: 'home', source, markdown };
}

export function guideList(guides: readonly DocsPage[]): DocsPage {
  const groups = GROUPS.map((group) => ({ group, own: guides.filter((guide) => guide.group === group) }));
  const sections = groups
    .filter(({ own }) => own.length > 0)
    .flatMap(({ group, own }) => [
      `## ${group}`,
      own.map(({ title, address, summary }) => `- [${title}](${address}): ${summary}`).join('\n'),
    ]);
  return {
    address: '/guides/',
    title: 'Guides',
    summary: 'How to call, extend and operate the service.',
    group: '',
    area: 'guides',
    source: null,
    markdown: `${['# Guides', ...sections].join('\n\n')}\n`,
  };
}

interface OrderedPage {
  page: DocsPage;
  order: number;
}

function writtenGuides(tables: Readonly<Record<string, string>>): OrderedPage[] {
  return readdirSync(GUIDES)
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => {
      const source = join(GUIDES, name);
      const [matter, written] = splitFrontMatter(readFileSync(source, 'utf8'));
      const text = Object.entries(tables).reduce(
        (result, [table, rows]) => result.replace(`<!-- made from the contract: ${table} -->`, () => rows),
        written,
      );
      const { title = titleIn(text), order = LAST_ORDER, group = 'Use' } = matter;
      if (!(GROUPS as readonly string[]).includes(group))
        throw new Error(`${source}: the group must be one of ${GROUPS.join(', ')}.`);
      const markdown = /^# /m.test(text) ? text : `# ${title}\n\n${text}`;
      const summary = matter.summary ?? firstSentence(text);
      const address = `/guides/${name.slice(0, -3)}`;
      return { page: { address, title, summary, group, area: 'guides', source, markdown }, order };
    });
}

function otherPage({ file, address, title, group, order, summary }: OtherFile): OrderedPage {
  const markdown = readFileSync(file, 'utf8');
  return {
    page: {
      address,
      title,
      summary: summary ?? firstSentence(markdown),
      group,
      area: 'guides',
      source: file,
      markdown,
    },
    order,
  };
}

function decisions(): OrderedPage[] {
  const folder = 'docs/decisions';
  return readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => {
      const source = posix.join(folder, name);
      const markdown = readFileSync(source, 'utf8');
      const isList = name === 'README.md';
      const address = isList ? '/internals/decisions/' : `/internals/decisions/${name.slice(0, -3)}`;
      const title = titleIn(markdown);
      const page = {
        address,
        title,
        summary: firstSentence(markdown),
        group: INTERNALS_GROUP,
        area: 'guides',
        source,
        markdown,
      };
      // The sidebar shows only the list, which links to each decision.
      return { page: isList ? page : { ...page, group: '' }, order: 30 };
    });
}

function splitFrontMatter(text: string): [FrontMatter, string] {
  const match = /^---\n([\s\S]*?)\n---\n/.exec(text);
  if (!match) return [{}, text];
  return [(parse(match[1] ?? '') ?? {}) as FrontMatter, text.slice(match[0].length).trimStart()];
}

const titleIn = (text: string): string => /^# (.+)$/m.exec(text)?.[1] ?? '';

/** Returns the first sentence of the first paragraph as plain text. */
function firstSentence(text: string): string {
  const paragraph = text.split(/\n\s*\n/).find((each) => /^[\p{L}`*"[]/u.test(each.trim())) ?? '';
  const plain = paragraph
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  return (/^.*?[.:](?= |$)/.exec(plain)?.[0] ?? plain).replace(/:$/, '.');
}
