import type { Ability } from './ability-catalog.ts';

const WEIGHTS = { name: 6, title: 4, description: 1 } as const;

/** Returns the best match first. Equal matches keep the order of the contract. */
export function searchAbilities(abilities: readonly Ability[], query: string, category?: string): Ability[] {
  const chosen =
    category === undefined ? [...abilities] : abilities.filter((each) => shortCategoryOf(each) === category);
  const words = singularWordsOf(query);
  if (words.length === 0) return chosen;
  return chosen
    .map((ability) => ({ ability, score: relevanceOf(ability, words) }))
    .filter(({ score }) => score > 0)
    .sort((left, right) => right.score - left.score)
    .map(({ ability }) => ability);
}

export const shortCategoryOf = ({ category }: Ability): string => category.replace(/^svc-/, '');

function relevanceOf(ability: Ability, words: readonly string[]): number {
  let score = 0;
  for (const place of ['name', 'title', 'description'] as const) {
    const known = new Set(singularWordsOf(ability[place]));
    score += words.filter((word) => known.has(word)).length * WEIGHTS[place];
  }
  return score;
}

const singularWordsOf = (text: string): string[] =>
  (text.toLowerCase().match(/[a-z0-9]+/g) ?? []).map((word) => word.replace(/(?<=.{3})s$/, ''));
