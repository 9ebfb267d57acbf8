import { known, type ChangedValues } from './changed-values.ts';

/** What was changed, as reports name it. Values are no secrets. */
export interface ChangedThing {
  /** Its name or title. */
  name: string | null;
  /** What tells it from others of its kind on that site: a slug, or a number. */
  key: string | number;
  before?: ChangedValues;
  after?: ChangedValues;
}

/** Fields of a record by name; what is null or empty is not there. */
type Fields = Readonly<Record<string, unknown>>;

/** Stands for a secret: that it was changed is told, what it was and is never. */
const CHANGED = 'changed';

/**
 * What was changed, with the fields that two states of its record differ in, as the log names and shows them. One that
 * is new has no state before, one that is deleted has none after. Secrets are told by name alone.
 */
export function changedThing(
  { name, key }: Pick<ChangedThing, 'name' | 'key'>,
  before: Fields | null,
  after: Fields | null,
  changedSecrets: readonly string[] = [],
): ChangedThing {
  const [old, now] = [valuesOf(before ?? {}), valuesOf(after ?? {})];
  const differ = Object.keys({ ...old, ...now }).filter((field) => old[field] !== now[field]);
  const only = (values: ChangedValues): ChangedValues =>
    known(Object.fromEntries(differ.map((field) => [field, values[field]])));
  const secrets = Object.fromEntries(changedSecrets.map((field) => [fieldName(field), CHANGED]));
  return { name, key, before: only(old), after: { ...only(now), ...secrets } };
}

const valuesOf = (fields: Fields): ChangedValues =>
  known(Object.fromEntries(Object.entries(fields).map(([field, value]) => [fieldName(field), textOf(value)])));

/** As both surfaces spell fields. */
const fieldName = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.join(', ');
  return JSON.stringify(value);
}
