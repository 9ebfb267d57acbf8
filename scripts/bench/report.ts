/** A measured figure with its limit and its target. */
export interface Figure {
  name: string;
  value: number;
  unit: 'ratio' | 'µs' | 'ms' | 'MB' | 's' | 'lines' | 'tokens';
  /** Baseline, measured in the same run. */
  baseline?: string;
  must?: { limit: number; better: 'higher' | 'lower' };
  aim?: number;
  /** True if the figure only has to be within its limit. It is not compared between two checkouts. */
  isBound?: true;
}

export const figures: Figure[] = [];

export function addFigure(figure: Figure): void {
  figures.push(figure);
  console.log(formatFigure(figure));
}

/** Adds the number of errors in the log, which must be 0. */
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
