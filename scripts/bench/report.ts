/** One measured figure against what it must and what it should be. */
export interface Figure {
  name: string;
  value: number;
  unit: 'ratio' | 'ms' | 'MB' | 's' | 'lines' | 'tokens';
  /** What is compared with, measured in the same run. */
  baseline?: string;
  must?: { limit: number; better: 'higher' | 'lower' };
  aim?: number;
  /** It holds its limit or does not: farther from it is no better, and two checkouts are not compared by it. */
  isBound?: true;
}

export const figures: Figure[] = [];

export function addFigure(figure: Figure): void {
  figures.push(figure);
  console.log(formatFigure(figure));
}

/** Nothing that the service did not expect may stand in its log. */
export const addLoggedErrors = (logged: number, of = ''): void =>
  addFigure({
    name: `${of}errors logged meanwhile`,
    value: logged,
    unit: 'lines',
    must: { limit: 0, better: 'lower' },
  });

function verdict({ value, must, aim }: Figure): string {
  if (!must) return '';
  const better = (limit: number): boolean => (must.better === 'higher' ? value >= limit : value <= limit);
  return !better(must.limit) ? 'MISSED' : aim !== undefined && better(aim) ? 'aim' : 'must';
}

export function formatFigure(figure: Figure): string {
  const { name, value, unit, baseline, must, aim } = figure;
  const goal = must
    ? `must ${must.better === 'higher' ? '≥' : '≤'} ${formatNumber(must.limit)}` +
      (aim === undefined ? '' : `, aim ${formatNumber(aim)}`)
    : '';
  return [
    name.padEnd(64),
    `${formatNumber(value)} ${unit}`.padStart(14),
    goal.padEnd(26),
    verdict(figure).padEnd(7),
    baseline ?? '',
  ]
    .join('  ')
    .trimEnd();
}

export const formatNumber = (value: number): string =>
  Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);

export const missedFigures = (): Figure[] => figures.filter((figure) => verdict(figure) === 'MISSED');

export const median = (values: number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
