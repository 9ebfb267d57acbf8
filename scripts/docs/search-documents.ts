/** Documents of the search: all pages, and the chapters of the guides. */
import { addressOf, methodOf } from './entries.ts';
import { type DocsPage } from './pages.ts';
import { slugOf } from './renderer.ts';
import type { SearchDocument } from './search.ts';

export function searchDocuments(pages: readonly DocsPage[]): SearchDocument[] {
  const documents = pages.flatMap((page) => (page.entry ? [operationOf(page)] : chaptersOf(page)));
  return documents.map((document, id) => ({ id, ...document }));
}

type DocumentFields = Omit<SearchDocument, 'id'>;

function operationOf({ entry, title, address, summary, group }: DocsPage): DocumentFields {
  if (!entry) throw new Error(`${address} is not of an operation.`);
  const further = entry.furtherVerbs.map(({ method, id }) => `${method} ${id}`);
  return {
    title,
    name: entry.id,
    where: `${methodOf(entry)} ${addressOf(entry)}`,
    text: [summary, group, ...further].join(' '),
    address,
  };
}

/** The text before the first heading of level 2 represents the page. */
function chaptersOf(page: DocsPage): DocumentFields[] {
  const body = page.markdown.replace(/```[^\n]*\n|```/g, '');
  return body.split(/^(?=#{2,3} )/m).map((chapter, index) => {
    const [, heading = ''] = /^#{2,3} (.+)\n/.exec(chapter) ?? [];
    const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '');
    return {
      title: index === 0 || !plain ? page.title : plain,
      name: '',
      where: index === 0 ? page.group || 'Reference' : page.title,
      text: plainText(chapter),
      address: index === 0 || !plain ? page.address : `${page.address}#${slugOf(plain)}`,
    };
  });
}

const plainText = (markdown: string): string =>
  markdown
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/<[^>]+>|[`*#|]|---+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
