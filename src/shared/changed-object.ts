import { omitEmptyValues, type ChangedValues } from './changed-values.ts';

/** The object of a change, with its old and new values. Must not contain secrets. */
export interface ChangedObject {
  name: string | null;
  /** Slug or number that identifies the object among others of its kind on the same site. */
  key: string | number;
  before?: ChangedValues;
  after?: ChangedValues;
}

type ObjectFieldValues = Readonly<Record<string, unknown>>;

const CHANGED = 'changed';

/**
 * Returns the fields that differ. `before` is null for a new record, `after` for a deleted one. Changed secrets are
 * listed without values.
 */
export function describeChangedObject(
  { name, key }: Pick<ChangedObject, 'name' | 'key'>,
  before: ObjectFieldValues | null,
  after: ObjectFieldValues | null,
  changedSecrets: readonly string[] = [],
): ChangedObject {
  const [old, now] = [toChangedValues(before ?? {}), toChangedValues(after ?? {})];
  const differ = Object.keys({ ...old, ...now }).filter((field) => old[field] !== now[field]);
  const only = (values: ChangedValues): ChangedValues =>
    omitEmptyValues(Object.fromEntries(differ.map((field) => [field, values[field]])));
  const secrets = Object.fromEntries(changedSecrets.map((field) => [toSnakeCaseFieldName(field), CHANGED]));
  return { name, key, before: only(old), after: { ...only(now), ...secrets } };
}

const toChangedValues = (fields: ObjectFieldValues): ChangedValues =>
  omitEmptyValues(
    Object.fromEntries(
      Object.entries(fields).map(([field, value]) => [toSnakeCaseFieldName(field), changedValueText(value)]),
    ),
  );

export const toSnakeCaseFieldName = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function changedValueText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.join(', ');
  return JSON.stringify(value);
}
