import { phpDate } from './php-date.ts';
import type { Settings } from './registry.ts';
import { timeZoneOf, type TimeZone } from './time-zone.ts';

type General = Settings<'general'>;

/** How dates and times are written for people: as the general settings say at that moment. */
export class Formats {
  readonly #general: () => General;
  #zone: { text: string; zone: TimeZone } | null = null;

  constructor(general: () => General) {
    this.#general = general;
  }

  date(ms: number): string {
    return phpDate(this.#general().date_format, ms, this.zone());
  }

  time(ms: number): string {
    return phpDate(this.#general().time_format, ms, this.zone());
  }

  dateTime(ms: number): string {
    return `${this.date(ms)} ${this.time(ms)}`;
  }

  /** Setting one up costs more than a mail full of times. */
  zone(): TimeZone {
    const { timezone_string: text } = this.#general();
    // A system that was updated may have lost a zone that it knew when it was set.
    if (this.#zone?.text !== text) this.#zone = { text, zone: timeZoneOf(text) ?? (timeZoneOf('UTC') as TimeZone) };
    return this.#zone.zone;
  }
}
