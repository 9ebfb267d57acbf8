import { deref, type Contract, type Schema } from '../../contract/index.ts';

type Fields = Record<string, unknown>;
/**
 * Converts a value as leniently as MainWP Dashboard does. A value that it cannot convert is unchanged, and validation
 * rejects it.
 */
export type LenientConversion = (value: unknown) => unknown;

export interface FieldRules {
  names: ReadonlyMap<string, string>;
  prefixes: readonly (readonly [theirs: string, ours: string])[];
  valueMaps: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  rejectedFields: ReadonlySet<string>;
  allowsUnknown: boolean;
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const identity: LenientConversion = (value) => value;

export function compileInputReader(contract: Contract, schema: Schema, rules: FieldRules): LenientConversion {
  const underWay = new Map<Schema, { read: LenientConversion }>();

  const compile = (of: Schema, isTop: boolean): LenientConversion => {
    const known = deref(contract, of);
    const begun = underWay.get(known);
    if (begun) return (value) => begun.read(value);
    const holder = { read: identity };
    underWay.set(known, holder);
    return (holder.read = compileKnown(known, isTop));
  };

  const compileKnown = (known: Schema, isTop: boolean): LenientConversion => {
    const variants = (known.anyOf ?? known.oneOf ?? []).map((each) => deref(contract, each));
    const types = new Set(variants.length ? variants.flatMap(jsonTypesOf) : jsonTypesOf(known));
    const fieldful = variants.find((each) => each.properties) ?? known;
    const listed = variants.find((each) => each.items) ?? known;
    const readObject = types.has('object') ? objectReader(fieldful, isTop) : null;
    const readItem = listed.items ? compile(listed.items, false) : identity;
    return (value) => convertValue(value, types, readObject, readItem);
  };

  const objectReader = (of: Schema, isTop: boolean): LenientConversion => {
    const fields = new Map(Object.entries(of.properties ?? {}).map(([name, each]) => [name, compile(each, false)]));
    const aliases = new Set(Object.keys(of['x-aliases'] ?? {}));
    const { additionalProperties: more } = of;
    const readMore = typeof more === 'object' ? compile(more, false) : identity;
    const keepsUnknown = more !== false || !rules.allowsUnknown;
    return (value) => {
      if (!isFields(value)) return value;
      const entries = new Map<string, unknown>();
      for (const [sent, each] of Object.entries(value)) {
        const name = ourName(sent, fields, isTop);
        // If both names are sent, the name of this service wins.
        if (name !== sent && Object.hasOwn(value, name)) continue;
        const reader = fields.get(name);
        if (reader) entries.set(name, reader(worded(name, each)));
        else if (keepsUnknown || aliases.has(name) || (isTop && rules.rejectedFields.has(name)))
          entries.set(name, readMore(each));
      }
      return Object.fromEntries(entries);
    };
  };

  const ourName = (sent: string, fields: ReadonlyMap<string, LenientConversion>, isTop: boolean): string => {
    const renamed = isTop ? rules.names.get(sent) : undefined;
    if (renamed !== undefined && fields.has(renamed)) return renamed;
    for (const [theirs, ours] of rules.prefixes)
      if (sent.startsWith(theirs)) {
        const name = ours + sent.slice(theirs.length);
        if (fields.has(name)) return name;
      }
    return sent;
  };

  const worded = (name: string, value: unknown): unknown => {
    const words = rules.valueMaps.get(name);
    if (!words) return value;
    const one = (each: unknown): unknown =>
      (typeof each === 'string' || typeof each === 'number') && Object.hasOwn(words, String(each))
        ? words[String(each)]
        : each;
    return Array.isArray(value) ? value.map(one) : one(value);
  };

  return compile(schema, true);
}

function jsonTypesOf({ type, properties, items, enum: values }: Schema): string[] {
  if (type !== undefined) return [type].flat();
  if (properties) return ['object'];
  if (items) return ['array'];
  return Array.isArray(values) ? [...new Set(values.map((value) => typeof value as string))] : [];
}

function convertValue(
  value: unknown,
  types: ReadonlySet<string>,
  readObject: LenientConversion | null,
  readItem: LenientConversion,
): unknown {
  if (types.size === 0 || value === null) return value;
  if (Array.isArray(value)) return convertList(value, types, readItem);
  switch (typeof value) {
    case 'object':
      return readObject ? readObject(value) : value;
    case 'string':
      return convertText(value, types, readItem);
    case 'number':
      if (types.has('number') || (types.has('integer') && Number.isInteger(value))) return value;
      if (types.has('string')) return String(value);
      if (types.has('boolean') && (value === 0 || value === 1)) return value === 1;
      return types.has('array') ? [readItem(value)] : value;
    case 'boolean':
      return types.has('boolean') || !types.has('integer') ? value : Number(value);
    default:
      return value;
  }
}

/**
 * Converts a list as PHP would: where no list is allowed, a list of one item stands for the item, and an empty list for
 * an empty object or 0.
 */
function convertList(value: unknown[], types: ReadonlySet<string>, readItem: LenientConversion): unknown {
  if (types.has('array')) return value.map(readItem);
  if (value.length === 1) return convertValue(value[0], types, null, readItem);
  if (value.length > 1) return value;
  if (types.has('object')) return {};
  return types.has('integer') ? 0 : value;
}

const INTEGER = /^[+-]?\d{1,15}$/;
const NUMBER = /^[+-]?\d{1,15}(\.\d{1,15})?$/;
const TRUE = /^(1|true)$/i;
const FALSE = /^(0|false)$/i;

function convertText(text: string, types: ReadonlySet<string>, readItem: LenientConversion): unknown {
  if (types.has('string')) return text;
  if (types.has('integer') && INTEGER.test(text)) return Number(text);
  if (types.has('number') && NUMBER.test(text)) return Number(text);
  if (types.has('boolean')) return TRUE.test(text) ? true : FALSE.test(text) ? false : text;
  if (types.has('array'))
    return text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')
      .map(readItem);
  return text;
}
