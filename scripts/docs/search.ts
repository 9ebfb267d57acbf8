/** Search index. A page builds it when the search is first opened. */
import MiniSearch from 'minisearch';

export interface SearchDocument {
  id: number;
  title: string;
  /** Operation ID. Empty for other pages. */
  name: string;
  where: string;
  text: string;
  address: string;
}

export type Find = (words: string) => SearchDocument[];

/** Splits text into words. Names are kept whole and split as well: `sites_get`, `sites`, `get`. */
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
    // Fuzzy search only if the exact search finds nothing.
    const matches = exact.length > 0 ? exact : index.search(words, { fuzzy: 0.2 });
    return matches.flatMap(({ id }) => byId.get(id as number) ?? []);
  };
}
