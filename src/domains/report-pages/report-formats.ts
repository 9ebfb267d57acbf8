import { DAY, toDate } from '../../shared/clock.ts';
import type { Language, TextKey, TextValues } from '../../languages/index.ts';
import type { ReportDays } from '../pro-reports/index.ts';
import type { TimeZone } from '../settings/index.ts';
import { capitalized } from './texts.ts';

const dayToMs = (day: string): number => Date.parse(`${day}T00:00:00Z`);

export class ReportFormats {
  readonly language: Language;
  readonly #zone: TimeZone;
  readonly #displayNames: ReadonlyMap<string, string>;

  /** `displayNames` has the names of staff by login name. People without one are not named. */
  constructor(language: Language, zone: TimeZone, displayNames: ReadonlyMap<string, string> = new Map()) {
    this.language = language;
    this.#zone = zone;
    this.#displayNames = displayNames;
  }

  personName(login: string): string {
    return this.#displayNames.get(login) ?? '';
  }

  text(key: TextKey, values?: TextValues): string {
    return this.language.text(key, values);
  }

  number(value: number, decimals = 0): string {
    return this.language.number(value, decimals);
  }

  /**
   * Formats a `share` in percent. Never rounds it up to 100, because a site with a downtime of a minute was not always
   * up.
   */
  percent(share: number): string {
    const shown = share >= 100 ? 100 : Math.min(share, 99.999);
    return this.language.percent(Math.floor(shown * 1000) / 1000, shown > 99.9 && shown < 100 ? 3 : 2);
  }

  duration(minutes: number, width?: 'long' | 'short'): string {
    return this.language.duration(minutes, width);
  }

  milliseconds(value: number): string {
    return this.language.milliseconds(value);
  }

  sentence(clauses: readonly string[]): string {
    return `${capitalized(this.language.list(clauses))}.`;
  }

  date(ms: number): string {
    return this.language.date(this.#local(ms));
  }

  mediumDate(ms: number): string {
    return this.language.mediumDate(this.#local(ms));
  }

  time(ms: number): string {
    return this.language.time(this.#local(ms));
  }

  dateTime(ms: number): string {
    return this.language.dateTime(this.#local(ms));
  }

  dayOf(ms: number): string {
    return toDate(this.#local(ms));
  }

  day(day: string): string {
    return this.language.date(dayToMs(day));
  }

  shortDay(day: string): string {
    return this.language.shortDay(dayToMs(day));
  }

  shortDays({ startDate, endDate }: ReportDays): string {
    return this.language.shortDayRange(dayToMs(startDate), dayToMs(endDate));
  }

  period({ startDate, endDate }: ReportDays): string {
    if (isFullMonth({ startDate, endDate })) return this.language.month(dayToMs(startDate));
    return startDate === endDate ? this.day(startDate) : this.language.dayRange(dayToMs(startDate), dayToMs(endDate));
  }

  #local(ms: number): number {
    return ms + this.#zone.offsetAt(ms);
  }
}

export const isFullMonth = ({ startDate, endDate }: ReportDays): boolean =>
  startDate.endsWith('-01') &&
  startDate.slice(0, 7) === endDate.slice(0, 7) &&
  toDate(dayToMs(endDate) + DAY).endsWith('-01');
