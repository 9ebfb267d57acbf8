export type ChangedValues = Readonly<Record<string, string>>;

export const omitEmptyValues = (values: Readonly<Record<string, string | null | undefined>>): ChangedValues =>
  Object.fromEntries(Object.entries(values).filter((entry): entry is [string, string] => Boolean(entry[1])));
