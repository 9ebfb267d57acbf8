import { median, type Figure } from './report.ts';

/** Figures of one round in both checkouts. */
export interface MeasuredRound {
  before: Figure[];
  now: Figure[];
}

/** One figure in all rounds and both checkouts. */
export interface FigureComparison {
  name: string;
  before: number[];
  now: number[];
  /** Median over the rounds of the ratio of now to before. Above 1 is worse, for each kind of figure. */
  cost: number;
  /** Number of rounds in which this checkout was worse. */
  worseIn: number;
}

/**
 * Compares the figures that both checkouts have in every round. The speed of a machine changes every minute, so each
 * round is compared with itself.
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

/** The ratio of two zeros is 1. */
const costOf = (before: number, now: number, better: 'higher' | 'lower'): number =>
  before === now ? 1 : better === 'lower' ? now / before : before / now;

/** True if the figure is worse in every round. By chance, this happens to one figure in 32 in five rounds. */
export const isWorse = ({ now, worseIn }: FigureComparison): boolean => worseIn === now.length;
