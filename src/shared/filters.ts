/** True if a filter is not set, so that it matches all records. A filter with the value `false` is set. */
export const isEmptyFilter = (value: unknown): boolean =>
  value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

/**
 * Returns a cache key that contains every filter that is set. Filters that match the same records have the same key,
 * whatever the order of their fields and lists.
 */
export const filterKeyOf = (filter: object): string =>
  JSON.stringify(
    Object.entries(filter)
      .filter(([, value]) => !isEmptyFilter(value))
      .map(([name, value]): [string, unknown] => [
        name,
        Array.isArray(value) ? [...(value as unknown[])].sort() : value,
      ])
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );
