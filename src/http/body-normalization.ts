import { deref, jsonOf, type Contract, type ContractOperation, type Schema } from '../contract/index.ts';

type Fields = Record<string, unknown>;

type Unit = NonNullable<Schema['x-duration']>;

/** Fields of a body that may be written in another way, and those that hold some. */
interface NormalizationRules {
  readonly flags: readonly string[];
  readonly durations: readonly (readonly [name: string, unit: Unit])[];
  readonly synonyms: readonly (readonly [name: string, words: Readonly<Record<string, string>>])[];
  readonly aliases: readonly (readonly [alias: string, name: string])[];
  readonly inner: readonly (readonly [name: string, spelling: NormalizationRules])[];
}

const FLAG_VALUES = new Map<unknown, 0 | 1>([
  [false, 0],
  [true, 1],
  ['0', 0],
  ['1', 1],
]);

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, min: 60, h: 3600 };
const SECONDS_OF: Readonly<Record<Unit, number>> = { seconds: 1, minutes: 60 };

/**
 * `2h` in minutes is 120. What is no label, or no whole number of the unit, stays as it is, for the schema to refuse.
 */
function durationOf(value: unknown, unit: Unit): unknown {
  if (typeof value !== 'string') return value;
  if (/^no limit$/i.test(value)) return 0;
  const [, count = '', each = ''] = /^(\d{1,6})(s|m|min|h)$/.exec(value) ?? [];
  const units = (Number(count) * (SECONDS[each] ?? Number.NaN)) / SECONDS_OF[unit];
  return Number.isInteger(units) ? units : value;
}

/**
 * Writes 0 and 1 for what else is taken for them in the flags of a body, numbers for the labels of durations, words
 * for their synonyms, and the names of fields for their aliases.
 */
export type NormalizeBody = (body: unknown) => void;

/** Null where an operation has one way to write its body. */
export function bodyNormalizerOf(contract: Contract, { requestBody }: ContractOperation): NormalizeBody | null {
  const spelling = cachedRulesOf(contract, jsonOf(deref(contract, requestBody ?? {}))?.schema ?? {});
  return isEmpty(spelling) ? null : (body) => normalize(body, spelling);
}

/** Schemas that many operations share are read once. */
const RULES_BY_SCHEMA = new WeakMap<Schema, NormalizationRules>();

function cachedRulesOf(contract: Contract, schema: Schema): NormalizationRules {
  const target = deref(contract, schema);
  const spelling = RULES_BY_SCHEMA.get(target) ?? rulesOf(contract, target);
  RULES_BY_SCHEMA.set(target, spelling);
  return spelling;
}

function rulesOf(contract: Contract, schema: Schema): NormalizationRules {
  const { properties, anyOf = [], 'x-aliases': names = {} } = schema;
  const fields = Object.entries(properties ?? {}).map(
    ([name, field]) => [name, deref(contract, field), field] as const,
  );
  const flags = fields.filter(([, field]) => isFlag(contract, field)).map(([name]) => name);
  const durations = fields.flatMap(([name, field]) => unitsOf(contract, field).map((unit) => [name, unit] as const));
  const synonyms = fields.flatMap(([name, field, own]) => {
    const words = field.properties ? undefined : (own['x-aliases'] ?? field['x-aliases']);
    return words ? [[name, words] as const] : [];
  });
  const inner = fields.map(([name, field]) => [name, cachedRulesOf(contract, field)] as const);
  // An object or null: the object is one of the two.
  const variants = anyOf.map((each) => cachedRulesOf(contract, each));
  return {
    flags: [...flags, ...variants.flatMap((each) => each.flags)],
    durations: [...durations, ...variants.flatMap((each) => each.durations)],
    synonyms: [...synonyms, ...variants.flatMap((each) => each.synonyms)],
    aliases: [...(properties ? Object.entries(names) : []), ...variants.flatMap((each) => each.aliases)],
    inner: [...inner.filter(([, spelling]) => !isEmpty(spelling)), ...variants.flatMap((each) => each.inner)],
  };
}

/** True if the field is 0 or 1, or null: then `true`, `false`, `'1'` and `'0'` are accepted as well. */
function isFlag(contract: Contract, { enum: values, anyOf = [] }: Schema): boolean {
  const [only, ...others] = anyOf.filter(({ type }) => type !== 'null');
  if (only && others.length === 0) return isFlag(contract, deref(contract, only));
  return Array.isArray(values) && values.length === 2 && values.includes(0) && values.includes(1);
}

/** A duration, or something else beside it. */
const unitsOf = (contract: Contract, { anyOf = [], 'x-duration': unit }: Schema): Unit[] =>
  unit ? [unit] : anyOf.flatMap((each) => unitsOf(contract, deref(contract, each)));

const isEmpty = ({ flags, durations, synonyms, aliases, inner }: NormalizationRules): boolean =>
  [flags, durations, synonyms, aliases, inner].every(({ length }) => length === 0);

function normalize(body: unknown, { flags, durations, synonyms, aliases, inner }: NormalizationRules): void {
  if (typeof body !== 'object' || body === null) return;
  const fields = body as Fields;
  for (const [alias, name] of aliases) {
    if (!Object.hasOwn(fields, alias)) continue;
    // Who sends both means the field by its own name.
    if (!Object.hasOwn(fields, name)) fields[name] = fields[alias];
    delete fields[alias];
  }
  for (const name of flags) {
    const flag = FLAG_VALUES.get(fields[name]);
    if (flag !== undefined) fields[name] = flag;
  }
  for (const [name, unit] of durations) if (Object.hasOwn(fields, name)) fields[name] = durationOf(fields[name], unit);
  for (const [name, words] of synonyms) {
    const word = fields[name];
    if (typeof word === 'string' && Object.hasOwn(words, word)) fields[name] = words[word];
  }
  for (const [name, spelling] of inner) normalize(fields[name], spelling);
}
