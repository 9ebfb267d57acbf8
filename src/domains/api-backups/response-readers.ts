/** Responses of providers are untrusted, so every value is checked. */

type ProviderJsonFields = Readonly<Record<string, unknown>>;

const MAX_ITEMS = 1000;
const MAX_TEXT = 255;

export function valueAt(value: unknown, ...path: readonly string[]): unknown {
  let inner = value;
  for (const name of path) {
    if (typeof inner !== 'object' || inner === null || !Object.hasOwn(inner, name)) return undefined;
    inner = (inner as ProviderJsonFields)[name];
  }
  return inner;
}

export const listAt = (value: unknown, ...path: readonly string[]): readonly unknown[] => {
  const list = valueAt(value, ...path);
  return Array.isArray(list) ? list.slice(0, MAX_ITEMS) : [];
};

export function textAt(value: unknown, ...path: readonly string[]): string {
  const text = valueAt(value, ...path);
  return typeof text === 'string' || typeof text === 'number' ? String(text).slice(0, MAX_TEXT) : '';
}

export const textsAt = (value: unknown, ...path: readonly string[]): string[] =>
  listAt(value, ...path).map((item) => textAt(item));

/** Returns milliseconds since 1970. A date, or an ISO time without a zone, is UTC. */
export function parseProviderTime(text: string): number | null {
  const zoned = /T.*(Z|[+-]\d\d:?\d\d)$/.test(text) || !text.includes('T') ? text : `${text}Z`;
  const time = Date.parse(zoned);
  return Number.isNaN(time) ? null : time;
}

export const newestTimeOf = (times: readonly (number | null)[]): number | null =>
  times.reduce((newest, time) => (time !== null && (newest === null || time > newest) ? time : newest), null);
