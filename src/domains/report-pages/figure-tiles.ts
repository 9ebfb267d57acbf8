import type { Comparison } from './comparison.ts';
import { isFullMonth, type ReportFormats } from './report-formats.ts';
import type { FigureTone, FormattedFigure } from './page-content.ts';
import type { KeyFigures } from './key-figures.ts';
import { formatAsOf, type AsOf } from './state-values.ts';
import { scoreTone } from './value-formatting.ts';

/** Maximum number of tiles. Four tiles fill one row on desktops, and complete rows on paper and on phones. */
const MOST_TILES = 4;

export const onlineTone = (online: number): FigureTone => (online >= 99.9 ? 'good' : online >= 99 ? 'warn' : 'bad');
export const daysTone = (days: number): FigureTone => (days > 30 ? 'good' : days > 7 ? 'warn' : 'bad');

interface Tile {
  value: number | null;
  label: string;
  tone: FigureTone;
  show: (value: number) => string;
  asOf?: AsOf | null;
  before: number | null;
  /** True if `before` is the value at the end of the previous period, and not a value of that whole period. */
  isAtEnd?: boolean;
}

/**
 * Returns the most important figures. Returns none if there is only one, because the sentences of the summary already
 * contain it.
 */
export function figureTiles(
  key: KeyFigures,
  before: Comparison | null,
  formats: ReportFormats,
  first: readonly FormattedFigure[] = [],
): FormattedFigure[] {
  const number = (value: number): string => formats.number(value);
  const { workMinutes: work, openVulnerabilities: open } = key;
  const old = before?.key;
  const tiles: Tile[] = [
    {
      ...{ value: key.updates, tone: 'plain', show: number, before: old?.updates ?? null },
      label: formats.text('figure.updates', { count: key.updates ?? 0 }),
    },
    {
      ...{ value: key.online, tone: onlineTone(key.online ?? 0), before: old?.online ?? null },
      ...{ label: formats.text('figure.online'), show: (value) => formats.percent(value) },
    },
    {
      ...{ value: work === 0 ? null : work, tone: 'plain', before: old?.workMinutes ?? null },
      ...{ label: formats.text('figure.work'), show: (value) => formats.duration(value, 'short') },
    },
    {
      ...{ value: open?.value ?? null, asOf: open, tone: open?.value ? 'bad' : 'good', show: number },
      label: formats.text('figure.vulnerabilities', { count: open?.value ?? 0 }),
      ...{ before: old?.openAtEnd ?? null, isAtEnd: true },
    },
    {
      ...{ value: key.performance, tone: scoreTone(key.performance ?? 0), show: number },
      ...{ label: formats.text('figure.performance'), before: old?.performance ?? null },
    },
    {
      ...{ value: key.responseMs, tone: 'plain', before: old?.responseMs ?? null },
      ...{ label: formats.text('figure.response'), show: (value) => formats.milliseconds(value) },
    },
    {
      ...{ value: key.backups === 0 ? null : key.backups, tone: 'plain', show: number, before: old?.backups ?? null },
      label: formats.text('figure.backups', { count: key.backups ?? 0 }),
    },
  ];
  const shown = tiles.flatMap((tile) => formatTile(tile, before, formats));
  const chosen = [...first, ...shown].slice(0, MOST_TILES);
  return chosen.length === 1 ? [] : chosen;
}

function formatTile(tile: Tile, before: Comparison | null, formats: ReportFormats): FormattedFigure[] {
  const { value, label, tone, show, asOf } = tile;
  if (value === null) return [];
  return [
    {
      ...{ value: show(value), label, tone, asOf: asOf ? formatAsOf(asOf, formats) : null },
      before: before && tile.before !== null ? formatBefore(show(tile.before), before, formats, tile.isAtEnd) : null,
    },
  ];
}

function formatBefore(value: string, { days }: Comparison, formats: ReportFormats, isAtEnd = false): string {
  if (!isFullMonth(days))
    return formats.text(isAtEnd ? 'period.end_before_unnamed' : 'period.before_unnamed', { value });
  return formats.text(isAtEnd ? 'period.end_before' : 'period.before', { period: formats.period(days), value });
}
