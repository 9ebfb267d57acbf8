import { deref, type Contract, type Schema } from '../contract/index.ts';

const TRUE = /^(1|true)$/i;
const FALSE = /^(0|false)$/i;

/**
 * Converts a query value by its schema: `1`, `true`, `0` and `false` become booleans, a single value or a comma list
 * becomes an array, and an empty text becomes an empty object. The validator converts numbers.
 */
export function coerceQueryValue(contract: Contract, schema: Schema | undefined, value: unknown): unknown {
  if (!schema) return value;
  const known = deref(contract, schema);
  if (known.type === 'boolean' && typeof value === 'string')
    return TRUE.test(value) ? true : FALSE.test(value) ? false : value;
  if (known.type === 'array') {
    const list: unknown = typeof value === 'string' ? splitList(value) : value;
    return Array.isArray(list) ? list.map((item) => coerceQueryValue(contract, known.items, item)) : list;
  }
  if (known.type === 'object') {
    if (value === '') return {};
    if (value && typeof value === 'object' && !Array.isArray(value))
      return Object.fromEntries(
        Object.entries(value).map(([name, inner]) => [
          name,
          coerceQueryValue(contract, known.properties?.[name], inner),
        ]),
      );
  }
  return value;
}

const splitList = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
