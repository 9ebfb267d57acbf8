import { mapInTurns } from '../../shared/event-loop.ts';
import type { SiteOfClient } from './client-content.ts';
import { daysTone, onlineTone } from './figure-tiles.ts';
import type { KeyFigures } from './key-figures.ts';
import { isKnownLater } from './known-since.ts';
import type { Cell, FigureTone, OverviewTable } from './page-content.ts';
import type { ReportFormats } from './report-formats.ts';
import { combineAsOf, stateSentencesOf, type StateClause, type StateValue } from './state-values.ts';
import { outageDaysOf } from './outage-days.ts';
import { isRenewalDue } from './recommendations.ts';
import type { TextKey } from '../../languages/index.ts';
import { scoreTone } from './value-formatting.ts';

type OverviewValue = number | StateValue | null;

interface Column {
  label: TextKey;
  read: (key: KeyFigures) => OverviewValue;
  toneOf: (value: number) => FigureTone | null;
  show?: (value: number) => string;
}

const attention = (tone: FigureTone): FigureTone | null => (tone === 'good' ? null : tone);

export async function buildOverviewTable(
  sites: readonly SiteOfClient[],
  formats: ReportFormats,
): Promise<OverviewTable> {
  const columns: readonly Column[] = [
    { label: 'overview.updates', read: (key) => key.updates, toneOf: () => null },
    {
      ...{ label: 'overview.online', read: (key) => key.online, toneOf: (online) => attention(onlineTone(online)) },
      show: (online) => formats.percent(online),
    },
    { label: 'overview.performance', read: (key) => key.performance, toneOf: scoreTone },
    {
      ...{ label: 'overview.vulnerabilities', read: (key) => key.openVulnerabilities },
      toneOf: (open) => (open > 0 ? 'bad' : null),
    },
    {
      ...{ label: 'overview.certificate', read: (key) => key.certificateDays },
      toneOf: (days) => attention(daysTone(days)),
    },
  ];
  const filled = columns.filter(({ read }) => sites.some(({ key }) => read(key) !== null));
  const isAnyDown = sites.some(({ key }) => key.incidents > 0);
  const hasOutages = (column: Column): boolean => isAnyDown && column.label === 'overview.online';
  const outagesCell = ({ report }: SiteOfClient): Cell => ({
    ...{ text: outageDaysOf(report, formats), tone: null, numeric: false, short: true },
  });
  const isAnyLater = sites.some(({ report }) => isKnownLater(report));
  const known = ({ report }: SiteOfClient): Cell => ({
    ...{ text: isKnownLater(report) ? formats.mediumDate(report.site.knownSince) : '', tone: null },
    ...{ numeric: false, short: true, minor: true },
  });
  const label = (key: TextKey): string => formats.text(key);
  return {
    title: formats.text('section.overview'),
    isOverview: true,
    columns: [
      { label: label('overview.site'), numeric: false },
      ...(isAnyLater ? [{ label: label('overview.known'), numeric: false }] : []),
      ...filled.flatMap((column) => [
        { label: label(column.label), numeric: true },
        ...(hasOutages(column) ? [{ label: label('overview.outages'), numeric: false }] : []),
      ]),
      { label: label('overview.decisions'), numeric: true },
    ],
    rows: await mapInTurns(sites, (site) => [
      { text: site.name, tone: null, numeric: false, short: false },
      ...(isAnyLater ? [known(site)] : []),
      ...filled.flatMap((column) => [
        valueCell(column, site.key, formats),
        ...(hasOutages(column) ? [outagesCell(site)] : []),
      ]),
      decisionsCell(site, formats),
    ]),
    more: null,
    note: overviewNote(filled, sites, formats),
  };
}

const numberIn = (value: OverviewValue): number | null => (typeof value === 'object' ? (value?.value ?? null) : value);

function valueCell({ read, toneOf, show }: Column, key: KeyFigures, formats: ReportFormats): Cell {
  const value = numberIn(read(key));
  if (value === null) return { text: '', tone: null, numeric: true, short: true };
  const text = show ? show(value) : formats.number(value);
  return { text, tone: toneOf(value), numeric: true, short: true };
}

function decisionsCell({ recommendations: { total, basis } }: SiteOfClient, formats: ReportFormats): Cell {
  const text = basis === null && total === 0 ? '' : formats.number(total);
  return { text, tone: total > 0 ? 'warn' : null, numeric: true, short: true };
}

/**
 * Returns sentences about the columns that are not about the period. Each sentence names such columns and the day of
 * their values.
 */
function overviewNote(
  columns: readonly Column[],
  sites: readonly SiteOfClient[],
  formats: ReportFormats,
): string | null {
  const clauses = columns.flatMap(({ label, read }): StateClause[] => {
    const values = sites.map(({ key }) => read(key)).filter((value) => typeof value === 'object' && value !== null);
    return values.length === 0 ? [] : [{ asOf: combineAsOf(values), text: formats.text(label) }];
  });
  const bases = sites.flatMap(({ recommendations: { basis } }) => basis ?? []);
  if (bases.length > 0) clauses.push({ asOf: combineAsOf(bases), text: formats.text('overview.decisions') });
  if (clauses.length === 0) return null;
  const isAnyDue = sites.some(({ key }) => isRenewalDue(key));
  const renewal = isAnyDue ? [formats.text('security.certificate.renewal')] : [];
  return [...stateSentencesOf(clauses, formats), formats.text('overview.rest'), ...renewal].join(' ');
}
