import { memoize } from '../../contract/index.ts';
import type { JsonSchema, Operation } from './operation.ts';
import { ALIASES_BY_OPERATION } from './search-aliases.ts';
import { queryWordsOf, searchWordsOf } from './search-words.ts';

/**
 * `weight`: effect of a word in this place on the rank. `credit`: share of the word that counts for `LEAST_COVERAGE`.
 */
const PLACES = {
  name: { weight: 6, credit: 1 },
  title: { weight: 6, credit: 1 },
  aliases: { weight: 5, credit: 1 },
  group: { weight: 4, credit: 1 },
  address: { weight: 3, credit: 1 },
  groupDescription: { weight: 3, credit: 0.7 },
  fields: { weight: 2, credit: 0.7 },
  description: { weight: 1, credit: 0.2 },
} as const;
type Place = keyof typeof PLACES;

/**
 * Minimum share of the words of a query, weighted by rarity, that an operation must have. Of 30 queries that no
 * operation answers, 29 find nothing with 0.65, and 19 with 0.45. Of 50 queries that have an answer, 44 find it among
 * the first three with 0.65, 45 with 0.45, and 41 with 0.7.
 */
const LEAST_COVERAGE = 0.65;
/**
 * Weight of a word that no operation has. It is as high as that of the rarest words, because queries are often about
 * such a word.
 */
const UNKNOWN_WEIGHT = 6;
/**
 * Weight of an unknown word that looks like a name, such as that of a client. Names are data, which no operation
 * contains.
 */
const UNKNOWN_NAME_WEIGHT = 1;

export interface SearchResult {
  matches: Operation[];
  unknownWords: string[];
}

export function searchOperations(operations: readonly Operation[], query: string): SearchResult {
  const all = operations.map(indexOf);
  const words = queryWordsOf(query).map(({ word, isName }) => {
    const rarity = rarityOf(word, all);
    return { word, rarity, weight: rarity ?? (isName ? UNKNOWN_NAME_WEIGHT : UNKNOWN_WEIGHT) };
  });
  const whole = words.reduce((sum, { weight }) => sum + weight, 0);
  const scored = all.flatMap(({ operation, places, titleWords }) => {
    let [score, covered, inTitle] = [0, 0, 0];
    for (const { word, rarity } of words) {
      const place = places.get(word);
      if (place === undefined || rarity === null) continue;
      score += rarity * PLACES[place].weight;
      covered += rarity * PLACES[place].credit;
      if (titleWords.has(word)) inTitle++;
    }
    const coverage = covered / whole;
    // Of two titles with the same words of the query, the one with fewer other words ranks first.
    return coverage >= LEAST_COVERAGE ? [{ operation, score: score * coverage + inTitle / titleWords.size }] : [];
  });
  return {
    matches: scored.sort((left, right) => right.score - left.score).map(({ operation }) => operation),
    unknownWords: words.filter(({ rarity }) => rarity === null).map(({ word }) => word),
  };
}

interface IndexedOperation {
  operation: Operation;
  /** For each word of the operation, the place with the highest weight that contains it. */
  places: ReadonlyMap<string, Place>;
  titleWords: ReadonlySet<string>;
}

const indexOf = memoize((operation: Operation): IndexedOperation => {
  const { id, surface, title, group, groupDescription, address, description, instructions, fileTypes } = operation;
  const texts: Record<Place, string> = {
    name: id.replace(/-v\d+$/, ''),
    title,
    aliases: ALIASES_BY_OPERATION.get(id) ?? '',
    group,
    address: surface === 'v2' ? address.replace(/\{\w+\}|^\w+ \/api\/v2/g, '') : '',
    groupDescription,
    fields: [...fieldNamesOf(operation.input()), ...fileTypes].join(' '),
    description: `${description} ${instructions}`,
  };
  const places = new Map<string, Place>();
  for (const [place, text] of Object.entries(texts))
    for (const word of searchWordsOf(text)) if (!places.has(word)) places.set(word, place as Place);
  return { operation, places, titleWords: new Set(searchWordsOf(title)) };
});

const fieldNamesOf = ({ properties = {} }: JsonSchema): string[] =>
  Object.entries(properties as Record<string, JsonSchema>).flatMap(([name, { properties: inner = {} }]) => [
    name,
    ...Object.keys(inner as object),
  ]);

function rarityOf(word: string, all: readonly IndexedOperation[]): number | null {
  const having = all.filter(({ places }) => places.has(word)).length;
  return having === 0 ? null : Math.log(1 + all.length / having);
}
