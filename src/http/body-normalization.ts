import { deref, jsonMediaOf, type Contract, type ContractOperation, type Schema } from '../contract/index.ts';

type BodyFieldValues = Record<string, unknown>;

type DurationUnit = NonNullable<Schema['x-duration']>;

interface NormalizationRules {
  readonly flags: readonly string[];
  readonly durations: readonly (readonly [name: string, unit: DurationUnit])[];
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
const SECONDS_OF: Readonly<Record<DurationUnit, number>> = { seconds: 1, minutes: 60 };

/**
 * Converts a duration label: `2h` in minutes is 120, and `no limit` is 0. Returns other values unchanged, also labels
 * that are no whole number of the unit. The schema then refuses them.
 */
function convertDurationLabel(value: unknown, unit: DurationUnit): unknown {
  if (typeof value !== 'string') return value;
  if (/^no limit$/i.test(value)) return 0;
  const [, count = '', each = ''] = /^(\d{1,6})(s|m|min|h)$/.exec(value) ?? [];
  const units = (Number(count) * (SECONDS[each] ?? Number.NaN)) / SECONDS_OF[unit];
  return Number.isInteger(units) ? units : value;
}

/**
 * Rewrites a body in place: flags become 0 or 1, duration labels become numbers, and synonyms and field aliases get
 * their real name.
 */
export type NormalizeBody = (body: unknown) => void;

export function bodyNormalizerOf(contract: Contract, { requestBody }: ContractOperation): NormalizeBody | null {
  const spelling = cachedRulesOf(contract, jsonMediaOf(deref(contract, requestBody ?? {}))?.schema ?? {});
  return hasNoRules(spelling) ? null : (body) => normalizeFields(body, spelling);
}

const RULES_BY_SCHEMA = new WeakMap<Schema, NormalizationRules>();

function cachedRulesOf(contract: Contract, schema: Schema): NormalizationRules {
  const target = deref(contract, schema);
  const spelling = RULES_BY_SCHEMA.get(target) ?? normalizationRulesOf(contract, target);
  RULES_BY_SCHEMA.set(target, spelling);
  return spelling;
}

function normalizationRulesOf(contract: Contract, schema: Schema): NormalizationRules {
  const { properties, anyOf = [], 'x-aliases': names = {} } = schema;
  const fields = Object.entries(properties ?? {}).map(
    ([name, field]) => [name, deref(contract, field), field] as const,
  );
  const flags = fields.filter(([, field]) => isFlag(contract, field)).map(([name]) => name);
  const durations = fields.flatMap(([name, field]) =>
    durationUnitsOfSchema(contract, field).map((unit) => [name, unit] as const),
  );
  const synonyms = fields.flatMap(([name, field, own]) => {
    const words = field.properties ? undefined : (own['x-aliases'] ?? field['x-aliases']);
    return words ? [[name, words] as const] : [];
  });
  const inner = fields.map(([name, field]) => [name, cachedRulesOf(contract, field)] as const);
  // `anyOf` is used for an object or null, so the fields of all variants belong to one object.
  const variants = anyOf.map((each) => cachedRulesOf(contract, each));
  return {
    flags: [...flags, ...variants.flatMap((each) => each.flags)],
    durations: [...durations, ...variants.flatMap((each) => each.durations)],
    synonyms: [...synonyms, ...variants.flatMap((each) => each.synonyms)],
    aliases: [...(properties ? Object.entries(names) : []), ...variants.flatMap((each) => each.aliases)],
    inner: [...inner.filter(([, spelling]) => !hasNoRules(spelling)), ...variants.flatMap((each) => each.inner)],
  };
}

/** True if the schema allows only 0 and 1, or also null. Then `true`, `false`, `'1'` and `'0'` are accepted too. */
function isFlag(contract: Contract, { enum: values, anyOf = [] }: Schema): boolean {
  const [only, ...others] = anyOf.filter(({ type }) => type !== 'null');
  if (only && others.length === 0) return isFlag(contract, deref(contract, only));
  return Array.isArray(values) && values.length === 2 && values.includes(0) && values.includes(1);
}

const durationUnitsOfSchema = (contract: Contract, { anyOf = [], 'x-duration': unit }: Schema): DurationUnit[] =>
  unit ? [unit] : anyOf.flatMap((each) => durationUnitsOfSchema(contract, deref(contract, each)));

const hasNoRules = ({ flags, durations, synonyms, aliases, inner }: NormalizationRules): boolean =>
  [flags, durations, synonyms, aliases, inner].every(({ length }) => length === 0);

function normalizeFields(body: unknown, { flags, durations, synonyms, aliases, inner }: NormalizationRules): void {
  if (typeof body !== 'object' || body === null) return;
  const fields = body as BodyFieldValues;
  for (const [alias, name] of aliases) {
    if (!Object.hasOwn(fields, alias)) continue;
    if (!Object.hasOwn(fields, name)) fields[name] = fields[alias];
    delete fields[alias];
  }
  for (const name of flags) {
    const flag = FLAG_VALUES.get(fields[name]);
    if (flag !== undefined) fields[name] = flag;
  }
  for (const [name, unit] of durations)
    if (Object.hasOwn(fields, name)) fields[name] = convertDurationLabel(fields[name], unit);
  for (const [name, words] of synonyms) {
    const word = fields[name];
    if (typeof word === 'string' && Object.hasOwn(words, word)) fields[name] = words[word];
  }
  for (const [name, spelling] of inner) normalizeFields(fields[name], spelling);
}
