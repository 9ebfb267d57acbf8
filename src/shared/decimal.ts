/** Sums and divisions of amounts use whole units of 10^-decimals, because sums of decimal fractions are not exact. */

export const hasAtMostDecimals = (value: number, decimals: number): boolean =>
  Number(value.toFixed(decimals)) === value;

export const toUnits = (value: number, decimals: number): number => Number(value.toFixed(decimals).replace('.', ''));

/** Moves the decimal point in the text, because a division could add a rounding error. */
export const fromUnits = (units: number | bigint, decimals: number): number => Number(`${units}e-${decimals}`);
