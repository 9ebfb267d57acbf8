import { toDate } from '../../shared/clock.ts';
import { factsOfCurrency } from './currency.ts';
import { phpDate } from './php-date.ts';
import type { SettingsGroupName, Settings } from './settings-registry.ts';
import { timeZoneOf, type TimeZone } from './time-zone.ts';

type ReadCurrentSettings = <G extends SettingsGroupName>(group: G) => Settings<G>;

export class Formats {
  readonly #current: ReadCurrentSettings;
  readonly #fixedZone: string | null;
  readonly #others = new Map<string, Formats>();
  #zone: { text: string; zone: TimeZone } | null = null;

  constructor(current: ReadCurrentSettings, fixedZone: string | null = null) {
    this.#current = current;
    this.#fixedZone = fixedZone;
  }

  inZone(name: string): Formats {
    if (name === '') return this;
    const formats = this.#others.get(name) ?? new Formats(this.#current, name);
    this.#others.set(name, formats);
    return formats;
  }

  date(ms: number): string {
    return phpDate(this.#current('general').date_format, ms, this.zone());
  }

  /** Formats a calendar day such as `2026-11-21`, which does not depend on a time zone. */
  day(text: string): string {
    return phpDate(
      this.#current('general').date_format,
      Date.parse(`${text}T00:00:00Z`),
      timeZoneOf('UTC') as TimeZone,
    );
  }

  /** Formats a calendar day without its year and with a short month name, for chart axes. */
  dayOfYear(text: string): string {
    const { date_format: form } = this.#current('general');
    const short = form.replace(/[^A-Za-z]*[YyoL][^A-Za-z]*$|[YyoL][^A-Za-z]*/g, '').replaceAll('F', 'M');
    return phpDate(short === '' ? form : short, Date.parse(`${text}T00:00:00Z`), timeZoneOf('UTC') as TimeZone);
  }

  dayOf(ms: number): string {
    return toDate(ms + this.zone().offsetAt(ms));
  }

  time(ms: number): string {
    return phpDate(this.#current('general').time_format, ms, this.zone());
  }

  dateTime(ms: number): string {
    return `${this.date(ms)} ${this.time(ms)}`;
  }

  money(amount: number): string {
    return moneyText(this.#current('cost-tracker'), amount);
  }

  number(value: number, decimals = 0): string {
    const { thousand_separator: thousands, decimal_separator: decimal } = this.#current('cost-tracker');
    const [whole = '', fraction] = String(Number(value.toFixed(decimals))).split('.');
    const grouped = whole.replace(/\B(?=(\d{3})+$)/g, () => thousands);
    return fraction === undefined ? grouped : `${grouped}${decimal}${fraction}`;
  }

  zoneName(): string {
    return this.#fixedZone ?? this.#current('general').timezone_string;
  }

  /** Cached, because setting up a time zone is slow. */
  zone(): TimeZone {
    const text = this.zoneName();
    // A system update can remove a time zone that was valid when it was set.
    if (this.#zone?.text !== text) this.#zone = { text, zone: timeZoneOf(text) ?? (timeZoneOf('UTC') as TimeZone) };
    return this.#zone.zone;
  }
}

export type MoneyFormat = Pick<
  Settings<'cost-tracker'>,
  'currency' | 'currency_position' | 'thousand_separator' | 'decimal_separator' | 'decimals'
>;

/** Rounds half up. If `form.decimals` is null, the amount has the decimals of its currency. */
export function moneyText(form: MoneyFormat, amount: number): string {
  const { currency_position: position } = form;
  const { sign, decimals } = factsOfCurrency(form.currency);
  const [whole = '', fraction] = roundedText(Math.abs(amount), form.decimals ?? decimals).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, () => form.thousand_separator);
  const number = fraction === undefined ? grouped : `${grouped}${form.decimal_separator}${fraction}`;
  const space = position.endsWith('_space') ? '\u00a0' : '';
  const text = position.startsWith('left') ? `${sign}${space}${number}` : `${number}${space}${sign}`;
  return amount < 0 ? `-${text}` : text;
}

const roundings = new Map<number, Intl.NumberFormat>();

/** Rounds the digits of the number. `toFixed` rounds its binary value, so 1.005 would become 1.00. */
function roundedText(amount: number, decimals: number): string {
  const options = { useGrouping: false, minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  const rounding = roundings.get(decimals) ?? new Intl.NumberFormat('en', options);
  roundings.set(decimals, rounding);
  return rounding.format(String(amount) as `${number}`);
}
