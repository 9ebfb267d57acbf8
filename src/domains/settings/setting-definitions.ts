import type { FieldError } from '../../shared/errors.ts';
import { patternError } from '../../shared/pattern-errors.ts';

export type ValueSchema =
  | { readonly kind: 'flag' }
  | { readonly kind: 'integer'; readonly minimum: number; readonly maximum: number }
  | { readonly kind: 'number'; readonly minimum: number; readonly maximum: number }
  | { readonly kind: 'choice'; readonly values: readonly (string | number)[] }
  | { readonly kind: 'text'; readonly maxLength: number; readonly pattern?: string }
  | { readonly kind: 'list'; readonly maxItems: number; readonly of: ValueSchema }
  | { readonly kind: 'object'; readonly fields: Readonly<Record<string, SchemaWithDefault>> };

export type SchemaWithDefault = ValueSchema & { readonly default: unknown };

export type SettingDefinition = SchemaWithDefault & {
  /** True if the value is stored encrypted and never returned. */
  readonly secret: boolean;
};

export type Flag = 0 | 1;

/** A setting whose default is null has no value until it is set. */
export type ValueOf<S> = SetValueOf<S> | (S extends { default: null } ? null : never);

type SetValueOf<S> = S extends { kind: 'flag' }
  ? Flag
  : S extends { kind: 'integer' | 'number' }
    ? number
    : S extends { kind: 'choice'; values: readonly (infer V)[] }
      ? V
      : S extends { kind: 'text' }
        ? string
        : S extends { kind: 'list'; of: infer Of }
          ? readonly ValueOf<Of>[]
          : S extends { kind: 'object'; fields: infer Fields }
            ? { readonly [Name in keyof Fields]: ValueOf<Fields[Name]> }
            : never;

/** Input of an edit: null sets the default, and omitted fields of an object keep their values. */
export type PatchOf<S> =
  | null
  | (S extends { kind: 'object'; fields: infer Fields }
      ? { readonly [Name in keyof Fields]?: PatchOf<Fields[Name]> }
      : ValueOf<S>);

export type ValidationResult = { value: unknown } | { problems: readonly FieldError[] };

type ObjectFields = Record<string, unknown>;
const isObjectFields = (input: unknown): input is ObjectFields =>
  typeof input === 'object' && input !== null && !Array.isArray(input);

const invalidResult = (message: string): ValidationResult => ({ problems: [{ path: '', message }] });

export function applyPatch(preset: SchemaWithDefault, input: unknown, before: unknown): ValidationResult {
  if (input === null) return { value: preset.default };
  if (preset.kind !== 'object') return checkSettingValue(preset, input);
  if (!isObjectFields(input)) return invalidResult('must be an object');
  const { fields } = preset;
  const strange = Object.keys(input).filter((name) => !Object.hasOwn(fields, name));
  const parts = Object.entries(fields).map(([name, field]): NamedResult => {
    const stands = (before as ObjectFields)[name];
    return [name, Object.hasOwn(input, name) ? applyPatch(field, input[name], stands) : { value: stands }];
  });
  const unknown = strange.map((name): NamedResult => [name, invalidResult('is not a known field')]);
  return combineResults([...unknown, ...parts], (values) => Object.fromEntries(values));
}

export function replaceInvalidByDefaults(preset: SchemaWithDefault, stored: unknown): unknown {
  if (preset.kind === 'object') {
    const present = isObjectFields(stored) ? stored : {};
    const values = Object.entries(preset.fields).map(([name, field]) => [
      name,
      replaceInvalidByDefaults(field, present[name]),
    ]);
    return Object.freeze(Object.fromEntries(values));
  }
  const result = checkSettingValue(preset, stored);
  return 'value' in result ? result.value : preset.default;
}

function checkSettingValue(shape: Exclude<ValueSchema, { kind: 'object' }>, input: unknown): ValidationResult {
  switch (shape.kind) {
    case 'flag':
      return input === 0 || input === 1 ? { value: input } : invalidResult('must be 0 or 1');
    case 'integer': {
      const { minimum, maximum } = shape;
      const fits = typeof input === 'number' && Number.isInteger(input) && input >= minimum && input <= maximum;
      return fits ? { value: input } : invalidResult(`must be a whole number from ${minimum} to ${maximum}`);
    }
    case 'number': {
      const { minimum, maximum } = shape;
      const fits = typeof input === 'number' && input >= minimum && input <= maximum;
      return fits ? { value: input } : invalidResult(`must be a number from ${minimum} to ${maximum}`);
    }
    case 'choice':
      return (shape.values as readonly unknown[]).includes(input)
        ? { value: input }
        : invalidResult(`must be one of ${shape.values.join(', ')}`);
    case 'text':
      return checkText(shape, input);
    case 'list':
      return checkList(shape, input);
  }
}

function checkText({ maxLength, pattern }: ValueSchema & { kind: 'text' }, input: unknown): ValidationResult {
  // `length` is never smaller than the number of characters, and it is faster.
  if (typeof input !== 'string' || (input.length > maxLength && [...input].length > maxLength))
    return invalidResult(`must be a string of at most ${maxLength} characters`);
  return pattern === undefined || new RegExp(pattern, 'u').test(input)
    ? { value: input }
    : invalidResult(patternError(pattern));
}

function checkList({ maxItems, of }: ValueSchema & { kind: 'list' }, input: unknown): ValidationResult {
  if (!Array.isArray(input) || input.length > maxItems || of.kind === 'object')
    return invalidResult(`must be a list of at most ${maxItems} items`);
  const parts = input.map((each, index): NamedResult => [String(index), checkSettingValue(of, each)]);
  return combineResults(parts, (values) => values.map(([, value]) => value));
}

type NamedResult = [name: string, checked: ValidationResult];

function combineResults(parts: NamedResult[], whole: (values: [string, unknown][]) => unknown): ValidationResult {
  const problems = parts.flatMap(([name, checked]) =>
    'problems' in checked
      ? checked.problems.map(({ path, message }) => ({ path: path === '' ? name : `${name}.${path}`, message }))
      : [],
  );
  if (problems.length > 0) return { problems };
  return { value: whole(parts.map(([name, checked]) => [name, (checked as { value: unknown }).value])) };
}
