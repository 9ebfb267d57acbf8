/** Documents of the search index: operations, and the chapters of other pages. */
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
  if (!entry) throw new Error(`${address} is not an operation.`);
  const further = entry.alternatives.map(({ method, id }) => `${method} ${id}`);
  return {
    title,
    name: entry.id,
    where: `${methodOf(entry)} ${addressOf(entry)}`,
    text: [summary, group, ...further].join(' '),
    address,
  };
}

/** Splits a page at its headings. The text before the first one stands for the whole page. */
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
