/** Reading JSON of the network value by value: nothing in it is taken for what it should be. */

export type Fields = Readonly<Record<string, unknown>>;

/** So many items of a list are looked at. */
const MOST_ITEMS = 200;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A field of an object; undefined where there is none. */
export const fieldOf = (value: unknown, name: string): unknown =>
  isFields(value) && Object.hasOwn(value, name) ? value[name] : undefined;

export const itemsOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? (value as unknown[]).slice(0, MOST_ITEMS) : [];

const EARLIEST = Date.UTC(1980, 0, 1);
const LATEST = Date.UTC(2200, 0, 1);

/** A moment that a registration can have to do with. */
export const sensibleTime = (ms: number): number | null => (ms >= EARLIEST && ms < LATEST ? ms : null);
