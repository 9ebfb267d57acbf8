const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

export const isCurrency = (code: string): boolean => CURRENCIES.has(code);

interface CurrencyFacts {
  sign: string;
  decimals: number;
}

const known = new Map<string, CurrencyFacts>();

export function factsOfCurrency(currency: string): CurrencyFacts {
  const facts = known.get(currency) ?? readFacts(currency);
  known.set(currency, facts);
  return facts;
}

function readFacts(currency: string): CurrencyFacts {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay: 'narrowSymbol' });
  const sign = format.formatToParts(0).find(({ type }) => type === 'currency')?.value ?? currency;
  return { sign, decimals: format.resolvedOptions().maximumFractionDigits ?? 2 };
}

export const currencyDecimals = (currency: string): number => factsOfCurrency(currency).decimals;

export const withDecimals = <S extends { currency: string; decimals: number | null }>(
  settings: S,
): S & { decimals: number } => ({ ...settings, decimals: settings.decimals ?? currencyDecimals(settings.currency) });
