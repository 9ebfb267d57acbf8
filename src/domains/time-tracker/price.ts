import { fromUnits, hasAtMostDecimals, toUnits } from '../../shared/decimal.ts';
import { maximumOfSetting } from '../settings/index.ts';

/** Hourly prices are stored in units of 10⁻⁸ of the currency, so sums are exact in every currency. */
const PRICE_DECIMALS = 8;
const HOUR_SECONDS = 3600n;

/** Limit of an hourly price. It keeps the price in units of 10⁻⁸ a safe integer. */
export const MAX_PRICE = maximumOfSetting('time-tracker', 'default_hourly_price');

/** An amount of money: `minor` × `10^-decimals` of the currency. */
export interface Amount {
  minor: number;
  decimals: number;
}

export const ZERO_AMOUNT: Amount = { minor: 0, decimals: 0 };

export const isPrice = (price: number): boolean =>
  price >= 0 && price <= MAX_PRICE && hasAtMostDecimals(price, PRICE_DECIMALS);

export const toPriceUnits = (price: number): number => toUnits(price, PRICE_DECIMALS);

export const fromPriceUnits = (units: number | bigint): number => fromUnits(units, PRICE_DECIMALS);

export const amountToNumber = ({ minor, decimals }: Amount): number => fromUnits(minor, decimals);

/**
 * Returns the price of a duration, rounded once, half up. If the result is too large for a safe integer, it keeps fewer
 * decimals.
 */
export function priceOfDuration(seconds: number, hourlyUnits: number, decimals: number): Amount {
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

export function roundedSeconds(seconds: number, rounding: Rounding | null): number {
  if (!rounding) return seconds;
  const unit = rounding.minutes * 60;
  const added = { nearest: unit / 2, up: unit - 1, down: 0 }[rounding.mode];
  return Math.floor((seconds + added) / unit) * unit;
}
