/** Values of an object's fields, before or after a change. Unknown values are omitted. */
export type ChangedValues = Readonly<Record<string, string>>;

/** Omits fields whose value is null, undefined or empty. */
export const omitEmptyValues = (values: Readonly<Record<string, string | null | undefined>>): ChangedValues =>
  Object.fromEntries(Object.entries(values).filter((entry): entry is [string, string] => Boolean(entry[1])));
