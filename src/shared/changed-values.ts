/** Fields of a thing by name, as they were before a change or are behind it; a field that is not known is left out. */
export type ChangedValues = Readonly<Record<string, string>>;

/** Those that are known; an empty text is none. */
export const known = (values: Readonly<Record<string, string | null | undefined>>): ChangedValues =>
  Object.fromEntries(Object.entries(values).filter((entry): entry is [string, string] => Boolean(entry[1])));
