/** Reading what a provider answered: hostile text, taken value by value. */

type Fields = Readonly<Record<string, unknown>>;

const MAX_ITEMS = 1000;
const MAX_TEXT = 255;

/** What lies at the end of a path of names; undefined where there is none. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  let inner = value;
  for (const name of path) {
    if (typeof inner !== 'object' || inner === null || !Object.hasOwn(inner, name)) return undefined;
    inner = (inner as Fields)[name];
  }
  return inner;
}

/** The items of a list; none where there is no list. */
export const listAt = (value: unknown, ...path: readonly string[]): readonly unknown[] => {
  const list = at(value, ...path);
  return Array.isArray(list) ? list.slice(0, MAX_ITEMS) : [];
};

/** A text or a number as a text; empty where there is neither. */
export function textAt(value: unknown, ...path: readonly string[]): string {
  const text = at(value, ...path);
  return typeof text === 'string' || typeof text === 'number' ? String(text).slice(0, MAX_TEXT) : '';
}

export const textsAt = (value: unknown, ...path: readonly string[]): string[] =>
  listAt(value, ...path).map((item) => textAt(item));

/** A time as a text, in milliseconds since 1970; without a zone it is UTC. Null where it is none. */
export function timeIn(text: string): number | null {
  const zoned = /T.*(Z|[+-]\d\d:?\d\d)$/.test(text) || !text.includes('T') ? text : `${text}Z`;
  const time = Date.parse(zoned);
  return Number.isNaN(time) ? null : time;
}

/** The newest of some times; null where there is none. */
export const newestOf = (times: readonly (number | null)[]): number | null =>
  times.reduce((newest, time) => (time !== null && (newest === null || time > newest) ? time : newest), null);
