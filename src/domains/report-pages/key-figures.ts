import type { SegmentName, SegmentReport, SiteReport } from '../pro-reports/index.ts';
import type { Formats } from '../settings/index.ts';
import type { FormattedFigure, FigureTone } from './page-content.ts';
import { percentText, scoreTone } from './value-formatting.ts';
import { formatAsOf, stateSentencesOf, stateValueAt, type StateClause, type StateValue } from './state-values.ts';
import { countWithNoun, minutesText } from './texts.ts';

/** Figures for the summary of a report. Null if a value was not measured or not requested. Numbers cover the period. */
export interface KeyFigures {
  updates: number | null;
  online: number | null;
  watchedMinutes: number;
  unwatchedMinutes: number;
  /** Start of the watched time, if it is after the start of the period. */
  watchedSince: number | null;
  incidents: number;
  downtimeMinutes: number;
  backups: number | null;
  fixedVulnerabilities: number;
  performance: number | null;
  certificateDays: StateValue | null;
  domainDays: StateValue | null;
  openVulnerabilities: StateValue | null;
  pending: StateValue | null;
}

export const UPDATE_SEGMENTS: readonly SegmentName[] = ['plugins', 'themes', 'core'];

export function keyFiguresOf({ segments, madeAt }: Pick<SiteReport, 'segments' | 'madeAt'>): KeyFigures {
  const find = (name: SegmentName): SegmentReport | undefined =>
    segments.find(({ segment, source }) => segment === name && source !== 'none');
  const fact = (name: SegmentName, ...facts: string[]): number | null => {
    const values = facts.map((each) => find(name)?.summary[each]);
    return values.find((value) => typeof value === 'number') ?? null;
  };
  const count = (name: SegmentName, of: string): number | null => find(name)?.counts[of] ?? null;
  const updates = UPDATE_SEGMENTS.map((name) => count(name, 'updated'));
  return {
    updates: updates.every((each) => each === null)
      ? null
      : updates.reduce<number>((sum, each) => sum + (each ?? 0), 0),
    online: fact('uptime', 'ratio_all'),
    watchedMinutes: fact('uptime', 'watched_minutes') ?? 0,
    unwatchedMinutes: fact('uptime', 'unwatched_minutes') ?? 0,
    watchedSince: momentOf(find('uptime')?.summary['watched_since']),
    incidents: count('uptime', 'incidents') ?? 0,
    downtimeMinutes: fact('uptime', 'downtime_minutes') ?? 0,
    backups: count('backups', 'created'),
    fixedVulnerabilities: count('vulnerable', 'resolved') ?? 0,
    performance: fact('perfaudit', 'mobile_performance', 'desktop_performance'),
    certificateDays: stateValueAt(fact('sslmonitor', 'days_left'), madeAt),
    domainDays: stateValueAt(fact('domainmonitor', 'days_left'), madeAt),
    openVulnerabilities: stateValueAt(fact('vulnerable', 'open_now'), madeAt),
    pending: stateValueAt(count('pending', 'total'), momentOf(find('pending')?.summary['last_sync'])),
  };
}

export function momentOf(value: unknown): number | null {
  const moment = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(moment) ? null : moment;
}

export const buildSiteLeadSentences = (figures: KeyFigures, formats: Formats): string[] => [
  ...periodSentencesOf(figures, formats),
  ...stateSentencesOf(stateClausesOf(figures, formats), formats),
];

function periodSentencesOf(figures: KeyFigures, formats: Formats): string[] {
  const { updates, backups, fixedVulnerabilities: fixed } = figures;
  return [
    updates === null
      ? null
      : updates === 0
        ? 'No updates were installed.'
        : `${countWithNoun(formats, updates, 'update was', 'updates were')} installed.`,
    onlineSentence(figures, formats),
    backups === null || backups === 0
      ? null
      : `${countWithNoun(formats, backups, 'backup was', 'backups were')} created.`,
    fixed === 0 ? null : `${countWithNoun(formats, fixed, 'vulnerability was', 'vulnerabilities were')} fixed.`,
  ].filter((each) => each !== null);
}

function onlineSentence(figures: KeyFigures, formats: Formats): string | null {
  const { online, incidents, downtimeMinutes: down, watchedSince, unwatchedMinutes: unwatched } = figures;
  const since = watchedSince === null ? null : formats.date(watchedSince);
  if (online === null) {
    if (since !== null) return `The availability of the site has been watched since ${since}.`;
    return unwatched > 0 ? 'The availability of the site was not watched.' : null;
  }
  const subject = since === null ? 'The site' : `Since ${since}, the site`;
  const time = unwatched > 0 ? 'the watched time' : 'the time';
  const total = `${countWithNoun(formats, incidents, 'incident')} of ${minutesText(formats, down)} in total`;
  const sentence = `${subject} was online ${percentText(online, formats)} of ${time}${incidents > 0 ? `, with ${total}` : ''}.`;
  return unwatched > 0 ? `${sentence} It was not watched for ${minutesText(formats, unwatched)}.` : sentence;
}

const stateClausesOf = (figures: KeyFigures, formats: Formats): StateClause[] => [
  ...stateClause(figures.certificateDays, (days) => daysClause('the certificate', 'is valid for', days, formats)),
  ...stateClause(figures.domainDays, (days) => daysClause('the domain', 'is registered for', days, formats)),
  ...stateClause(figures.openVulnerabilities, (open) => openVulnerabilitiesClause(open, formats)),
  ...stateClause(figures.pending, (pending) => pendingClause(pending, formats)),
];

/** `write` returns null if the value needs no words. */
export const stateClause = (value: StateValue | null, write: (value: number) => string | null): StateClause[] => {
  const text = value && write(value.value);
  return value && text ? [{ asOf: value, text }] : [];
};

const daysClause = (subject: string, holds: string, days: number, formats: Formats): string =>
  days < 0 ? `${subject} has expired` : `${subject} ${holds} another ${countWithNoun(formats, days, 'day')}`;

export const openVulnerabilitiesClause = (open: number, formats: Formats): string =>
  open === 0
    ? 'no known vulnerability is open'
    : `${countWithNoun(formats, open, 'known vulnerability is', 'known vulnerabilities are')} open`;

const pendingClause = (pending: number, formats: Formats): string | null =>
  pending === 0 ? null : `${countWithNoun(formats, pending, 'update is', 'updates are')} available`;

export function formatKeyFigures(key: KeyFigures, formats: Formats): FormattedFigure[] {
  const figure = (
    value: number | null,
    label: string,
    tone: FigureTone,
    show = (each: number) => formats.number(each),
  ) => (value === null ? [] : [{ value: show(value), label, tone, asOf: null }]);
  const state = (value: StateValue | null, label: string, toneOf: (value: number) => FigureTone): FormattedFigure[] =>
    value === null
      ? []
      : [{ value: formats.number(value.value), label, tone: toneOf(value.value), asOf: formatAsOf(value, formats) }];
  return [
    ...figure(key.updates, 'updates installed', 'plain'),
    ...figure(key.online, 'online', onlineTone(key.online ?? 0), (online) => percentText(online, formats)),
    ...figure(key.backups === 0 ? null : key.backups, 'backups created', 'plain'),
    ...figure(key.performance, 'performance score (of 100)', scoreTone(key.performance ?? 0)),
    ...state(key.certificateDays, 'days until the certificate expires', daysTone),
    ...state(key.domainDays, 'days until the domain expires', daysTone),
    ...state(key.openVulnerabilities, 'open vulnerabilities', (open) => (open > 0 ? 'bad' : 'good')),
    ...state(key.pending, 'updates available', () => 'plain'),
  ];
}

export const onlineTone = (online: number): FigureTone => (online >= 99.9 ? 'good' : online >= 99 ? 'warn' : 'bad');
export const daysTone = (days: number): FigureTone => (days > 30 ? 'good' : days > 7 ? 'warn' : 'bad');
