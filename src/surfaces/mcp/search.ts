import type { Ability } from './catalog.ts';

/** Where a word is found counts more, or less. */
const WEIGHTS = { name: 6, title: 4, description: 1 } as const;

/** The abilities that fit the words best, those that fit equally in the order of the contract. */
export function search(abilities: readonly Ability[], query: string, category?: string): Ability[] {
  const chosen = category === undefined ? [...abilities] : abilities.filter((each) => categoryOf(each) === category);
  const words = wordsOf(query);
  if (words.length === 0) return chosen;
  return chosen
    .map((ability) => ({ ability, score: scoreOf(ability, words) }))
    .filter(({ score }) => score > 0)
    .sort((left, right) => right.score - left.score)
    .map(({ ability }) => ability);
}

/** As agents write it. */
export const categoryOf = ({ category }: Ability): string => category.replace(/^svc-/, '');

function scoreOf(ability: Ability, words: readonly string[]): number {
  let score = 0;
  for (const place of ['name', 'title', 'description'] as const) {
    const known = new Set(wordsOf(ability[place]));
    score += words.filter((word) => known.has(word)).length * WEIGHTS[place];
  }
  return score;
}

/** Words without their plural, so that `sites` finds `site`. */
const wordsOf = (text: string): string[] =>
  (text.toLowerCase().match(/[a-z0-9]+/g) ?? []).map((word) => word.replace(/(?<=.{3})s$/, ''));
