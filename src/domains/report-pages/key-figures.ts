import type { SegmentName, SegmentReport, SiteReport } from '../pro-reports/index.ts';
import type { Formats } from '../settings/index.ts';
import type { Figure, Tone } from './page.ts';
import { percentText, scoreTone } from './cell-values.ts';
import { countWithNoun, minutesText } from './texts.ts';

/** Figures for the summary of a report. Null if a value was not measured or not requested. */
export interface KeyFigures {
  updates: number | null;
  online: number | null;
  incidents: number;
  downtimeMinutes: number;
  certificateDays: number | null;
  domainDays: number | null;
  backups: number | null;
  openVulnerabilities: number | null;
  fixedVulnerabilities: number;
  performance: number | null;
  pending: number | null;
}

export const UPDATE_SEGMENTS: readonly SegmentName[] = ['plugins', 'themes', 'core'];

export function keyFiguresOf({ segments }: SiteReport): KeyFigures {
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
    incidents: count('uptime', 'incidents') ?? 0,
    downtimeMinutes: fact('uptime', 'downtime_minutes') ?? 0,
    certificateDays: fact('sslmonitor', 'days_left'),
    domainDays: fact('domainmonitor', 'days_left'),
    backups: count('backups', 'created'),
    openVulnerabilities: count('vulnerable', 'open'),
    fixedVulnerabilities: count('vulnerable', 'resolved') ?? 0,
    performance: fact('perfaudit', 'mobile_performance', 'desktop_performance'),
    pending: count('pending', 'total'),
  };
}

export function leadSentencesOf(figures: KeyFigures, formats: Formats): string[] {
  const { updates, online, incidents, certificateDays, domainDays, backups, pending } = figures;
  return [
    updates === null
      ? null
      : updates === 0
        ? 'No updates were installed.'
        : `${countWithNoun(formats, updates, 'update was', 'updates were')} installed.`,
    online === null ? null : onlineSentence(online, incidents, figures.downtimeMinutes, formats),
    certificateDays === null ? null : daysSentence('The certificate', 'is valid for', certificateDays, formats),
    domainDays === null ? null : daysSentence('The domain', 'is registered for', domainDays, formats),
    backups === null || backups === 0
      ? null
      : `${countWithNoun(formats, backups, 'backup was', 'backups were')} created.`,
    vulnerabilitySentence(figures, formats),
    pending === null || pending === 0
      ? null
      : `${countWithNoun(formats, pending, 'update is', 'updates are')} available.`,
  ].filter((each) => each !== null);
}

function onlineSentence(online: number, incidents: number, minutes: number, formats: Formats): string {
  const sentence = `The site was online ${percentText(online, formats)} of the time`;
  if (incidents === 0) return `${sentence}.`;
  return `${sentence}, with ${countWithNoun(formats, incidents, 'incident')} of ${minutesText(formats, minutes)} in total.`;
}

const daysSentence = (what: string, holds: string, days: number, formats: Formats): string =>
  days < 0 ? `${what} has expired.` : `${what} ${holds} another ${countWithNoun(formats, days, 'day')}.`;

function vulnerabilitySentence(
  { openVulnerabilities: open, fixedVulnerabilities: mended }: KeyFigures,
  formats: Formats,
) {
  if (open === null) return null;
  const ended =
    mended === 0 ? '' : `${countWithNoun(formats, mended, 'vulnerability was', 'vulnerabilities were')} fixed`;
  const lasting =
    open === 0
      ? 'none is known to be open'
      : `${countWithNoun(formats, open, 'known vulnerability is', 'known vulnerabilities are')} open`;
  if (ended === '') return open === 0 ? 'No known vulnerability is open.' : `${lasting}.`;
  return `${ended}; ${lasting}.`;
}

export function shownFiguresOf(key: KeyFigures, formats: Formats): Figure[] {
  const figure = (value: string | null, label: string, tone: Tone): Figure[] =>
    value === null ? [] : [{ value, label, tone }];
  const number = (value: number | null): string | null => (value === null ? null : formats.number(value));
  return [
    ...figure(number(key.updates), 'updates installed', 'plain'),
    ...figure(key.online === null ? null : percentText(key.online, formats), 'online', onlineTone(key.online ?? 0)),
    ...figure(number(key.certificateDays), 'days until the certificate expires', daysTone(key.certificateDays ?? 0)),
    ...figure(number(key.domainDays), 'days until the domain expires', daysTone(key.domainDays ?? 0)),
    ...figure(number(key.backups === 0 ? null : key.backups), 'backups created', 'plain'),
    ...figure(
      number(key.openVulnerabilities),
      'open vulnerabilities',
      (key.openVulnerabilities ?? 0) > 0 ? 'bad' : 'good',
    ),
    ...figure(number(key.performance), 'performance score (of 100)', scoreTone(key.performance ?? 0)),
    ...figure(number(key.pending), 'updates available', 'plain'),
  ];
}

export const onlineTone = (online: number): Tone => (online >= 99.9 ? 'good' : online >= 99 ? 'warn' : 'bad');
export const daysTone = (days: number): Tone => (days > 30 ? 'good' : days > 7 ? 'warn' : 'bad');
