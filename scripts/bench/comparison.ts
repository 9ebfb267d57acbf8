import { median, type Figure } from './report.ts';

/** The figures of one round: those of the other checkout, and those of this one. */
export interface MeasuredRound {
  before: Figure[];
  now: Figure[];
}

/** One figure in all rounds, as both checkouts have it. */
export interface FigureComparison {
  name: string;
  before: number[];
  now: number[];
  /** Median over the rounds of now to before; above 1 is worse, whichever way the figure goes. */
  cost: number;
  /** Rounds in which this checkout was the worse one. */
  worseIn: number;
}

/**
 * Figures that both checkouts have in every round. A machine's speed changes by the minute: what is compared is each
 * round with itself, never the best of one with the worst of the other.
 */
export function compareFigures(rounds: MeasuredRound[]): FigureComparison[] {
  const [first] = rounds;
  return (first?.now ?? []).flatMap(({ name, must, isBound }) => {
    if (isBound) return [];
    const before = rounds.flatMap((round) => valueOf(round.before, name));
    const now = rounds.flatMap((round) => valueOf(round.now, name));
    if (before.length < rounds.length || now.length < rounds.length) return [];
    const costs = now.map((value, index) => costOf(before[index] ?? Number.NaN, value, must?.better ?? 'lower'));
    return [{ name, before, now, cost: median(costs), worseIn: costs.filter((cost) => cost > 1).length }];
  });
}

const valueOf = (figures: Figure[], name: string): number[] =>
  figures.filter((figure) => figure.name === name).map(({ value }) => value);

/** Nothing beside nothing costs the same. */
const costOf = (before: number, now: number, better: 'higher' | 'lower'): number =>
  before === now ? 1 : better === 'lower' ? now / before : before / now;

/** Worse in every round: by chance alone one figure in 32 is so in five. */
export const isWorse = ({ now, worseIn }: FigureComparison): boolean => worseIn === now.length;
