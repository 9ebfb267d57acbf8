import { maximumOf } from '../settings/index.ts';

/** Hourly prices are kept in units of 10⁻⁸ of the currency, so that sums are exact in every currency. */
const PRICE_DECIMALS = 8;
const HOUR_SECONDS = 3600n;

/** So that an hourly price in its units is a safe integer. */
export const MAX_PRICE = maximumOf('time-tracker', 'default_hourly_price');

/** A sum of money: so many units of `10^-decimals` of its currency. */
export interface Amount {
  minor: number;
  decimals: number;
}

export const NOTHING: Amount = { minor: 0, decimals: 0 };

export const isPrice = (price: number): boolean =>
  price >= 0 && price <= MAX_PRICE && Number(price.toFixed(PRICE_DECIMALS)) === price;

export const priceUnits = (price: number): number => Number(price.toFixed(PRICE_DECIMALS).replace('.', ''));

/** Decimal places are moved in the text, so that no division leaves a trace. */
export const priceOf = (units: number | bigint): number => Number(`${units}e-${PRICE_DECIMALS}`);

export const numberOf = ({ minor, decimals }: Amount): number => Number(`${minor}e-${decimals}`);

/**
 * What so many seconds come to, rounded once, half a unit upwards. A sum that is too large to be a number with all
 * these decimals keeps as many of them as a number holds.
 */
export function amountFor(seconds: number, hourlyUnits: number, decimals: number): Amount {
  const exact = BigInt(seconds) * BigInt(hourlyUnits);
  for (let kept = decimals; ; kept--) {
    const divisor = HOUR_SECONDS * 10n ** BigInt(PRICE_DECIMALS - kept);
    const minor = Number((2n * exact + divisor) / (2n * divisor));
    if (Number.isSafeInteger(minor) || kept === 0) return { minor, decimals: kept };
  }
}

export interface Rounding {
  mode: 'nearest' | 'up' | 'down';
  minutes: number;
}

/** Half of a unit goes up with `nearest`; null rounds nothing. */
export function roundedSeconds(seconds: number, rounding: Rounding | null): number {
  if (!rounding) return seconds;
  const unit = rounding.minutes * 60;
  const added = { nearest: unit / 2, up: unit - 1, down: 0 }[rounding.mode];
  return Math.floor((seconds + added) / unit) * unit;
}
