import { IntlMessageFormat } from 'intl-messageformat';
import type { en } from './en.ts';

export type TextKey = keyof typeof en;
export type LanguageTexts = Readonly<Record<TextKey, string>>;
export type TextValues = Readonly<Record<string, string | number>>;
export type TextDirection = 'ltr' | 'rtl';

const HOUR = 60;

const unbroken = (text: string): string => text.replace(/\s/g, '\u00a0').replaceAll('–', '–\u2060');

/** Replaces narrow spaces, because the versions of ICU (the library behind `Intl`) put them in different places. */
const plainSpaces = (text: string): string => text.replace(/[\u2009\u202f]/g, ' ');

/**
 * Writes texts, numbers and calendar days in one language. `tag` is a BCP 47 tag such as `de`. Days and times are given
 * as milliseconds since 1970 that already have the offset of their time zone.
 */
export class Language {
  readonly tag: string;
  readonly #texts: LanguageTexts;
  readonly #messages = new Map<string, IntlMessageFormat>();
  readonly #numbers = new Map<string, Intl.NumberFormat>();
  readonly #dates = new Map<string, Intl.DateTimeFormat>();
  readonly #and: Intl.ListFormat;
  readonly #collator: Intl.Collator;

  constructor(tag: string, texts: LanguageTexts) {
    this.tag = tag;
    this.#texts = texts;
    this.#and = new Intl.ListFormat(tag, { type: 'conjunction' });
    this.#collator = new Intl.Collator(tag, { numeric: true, sensitivity: 'base' });
  }

  get direction(): TextDirection {
    return this.#texts['language.direction'] === 'rtl' ? 'rtl' : 'ltr';
  }

  /** Throws an error if a value of the message is missing. */
  text(key: TextKey, values: TextValues = {}): string {
    const message =
      this.#messages.get(key) ?? new IntlMessageFormat(this.#texts[key], this.tag, undefined, { ignoreTag: true });
    this.#messages.set(key, message);
    return String(message.format(values));
  }

  /** Returns the text of a key that is built from data, such as `words.…`; null if there is no such key. */
  textOf(key: string): string | null {
    return Object.hasOwn(this.#texts, key) ? this.text(key as TextKey) : null;
  }

  number(value: number, decimals = 0): string {
    return this.#number({ maximumFractionDigits: decimals }).format(value);
  }

  percent(share: number, decimals: number): string {
    return this.#number({ style: 'percent', maximumFractionDigits: decimals }).format(share / 100);
  }

  milliseconds(value: number): string {
    return this.#unit(Math.round(value), 'millisecond', 'short');
  }

  duration(minutes: number, width: 'long' | 'short' = 'long'): string {
    if (minutes > 0 && minutes < 1)
      return this.text(width === 'long' ? 'duration.under_a_minute' : 'duration.under_a_minute_short');
    const whole = Math.round(minutes);
    const [hours, rest] = [Math.floor(whole / HOUR), whole % HOUR];
    const parts = [
      ...(hours > 0 ? [this.#unit(hours, 'hour', width)] : []),
      ...(rest > 0 || hours === 0 ? [this.#unit(rest, 'minute', width)] : []),
    ];
    return parts.join(' ');
  }

  list(items: readonly string[]): string {
    return this.#and.format(items);
  }

  date(localMs: number): string {
    return this.#date({ dateStyle: 'long' }).format(localMs);
  }

  mediumDate(localMs: number): string {
    return unbroken(this.#date({ dateStyle: 'medium' }).format(localMs));
  }

  time(localMs: number): string {
    return plainSpaces(this.#date({ timeStyle: 'short' }).format(localMs));
  }

  dateTime(localMs: number): string {
    return plainSpaces(this.#date({ dateStyle: 'long', timeStyle: 'short' }).format(localMs));
  }

  shortDay(localMs: number): string {
    return this.#date({ month: 'short', day: 'numeric' }).format(localMs);
  }

  month(localMs: number): string {
    return this.#date({ month: 'long', year: 'numeric' }).format(localMs);
  }

  dayRange(firstMs: number, lastMs: number): string {
    return plainSpaces(this.#date({ dateStyle: 'long' }).formatRange(firstMs, lastMs));
  }

  shortDayRange(firstMs: number, lastMs: number): string {
    return unbroken(this.#date({ month: 'short', day: 'numeric' }).formatRange(firstMs, lastMs));
  }

  compare(left: string, right: string): number {
    return this.#collator.compare(left, right);
  }

  #unit(value: number, unit: string, unitDisplay: 'long' | 'short'): string {
    return this.#number({ style: 'unit', unit, unitDisplay }).format(value).replace(' ', '\u00a0');
  }

  #number(options: Intl.NumberFormatOptions): Intl.NumberFormat {
    const key = JSON.stringify(options);
    const format = this.#numbers.get(key) ?? new Intl.NumberFormat(this.tag, options);
    this.#numbers.set(key, format);
    return format;
  }

  #date(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
    const key = JSON.stringify(options);
    const format = this.#dates.get(key) ?? new Intl.DateTimeFormat(this.tag, { ...options, timeZone: 'UTC' });
    this.#dates.set(key, format);
    return format;
  }
}
