/** The index of the search; the pages make it of the documents when it is first opened. */
import MiniSearch from 'minisearch';

export interface SearchDocument {
  id: number;
  title: string;
  /** Of an operation: its id. */
  name: string;
  where: string;
  text: string;
  address: string;
}

export type Find = (words: string) => SearchDocument[];

/** A name counts as a whole, and each word of it: `sites_get`, `sites`, `get`. */
const wordsOf = (text: string): string[] =>
  text
    .split(/[\s/(){}[\],;:"'`?&=<>|]+/)
    .flatMap((word) => [word, ...word.split(/[-_.]+/)])
    .filter((word, index, all) => word !== '' && all.indexOf(word) === index);

export function searchOf(documents: readonly SearchDocument[]): Find {
  const index = new MiniSearch<SearchDocument>({
    fields: ['title', 'name', 'where', 'text'],
    tokenize: wordsOf,
    searchOptions: { boost: { name: 8, title: 4, where: 2 }, prefix: true, combineWith: 'AND' },
  });
  index.addAll(documents);
  const byId = new Map(documents.map((document) => [document.id, document]));
  return (words) => {
    const exact = index.search(words);
    // Only who found nothing may have misspelt it.
    const matches = exact.length > 0 ? exact : index.search(words, { fuzzy: 0.2 });
    return matches.flatMap(({ id }) => byId.get(id as number) ?? []);
  };
}
