/** Longer texts are not cached, which bounds the memory of the cached lists. */
const MAX_CHARACTERS = 64 * 1024;

/** JSON texts of cached bodies. A body whose text was not needed yet, or is too long, has null. */
const texts = new WeakMap<object, string | null>();

/**
 * Caches the response bodies of values that are cached themselves, such as pages under a revision. A body is cached
 * with its JSON text, as long as its value is. `render` must depend on the value alone. Bodies are frozen, because
 * later responses have them too.
 */
export class CachedBodies<Value extends object, Body extends object> {
  readonly #render: (value: Value) => Body;
  readonly #bodies = new WeakMap<Value, Body>();

  constructor(render: (value: Value) => Body) {
    this.#render = render;
  }

  of(value: Value): Body {
    const known = this.#bodies.get(value);
    if (known) return known;
    const body = deepFreeze(this.#render(value));
    this.#bodies.set(value, body);
    texts.set(body, null);
    return body;
  }
}

/** Returns the JSON text of a body if it is cached. */
export const cachedTextOf = (body: unknown): string | null => texts.get(body as object) ?? null;

/** Caches the JSON text of a body that `CachedBodies` has returned. Ignores all other bodies, and long texts. */
export function cacheText(body: unknown, length: number, text: () => string): void {
  if (length <= MAX_CHARACTERS && texts.has(body as object)) texts.set(body as object, text());
}

function deepFreeze<T extends object>(value: T): T {
  for (const field of Object.values(value))
    if (typeof field === 'object' && field !== null) deepFreeze(field as object);
  return Object.freeze(value);
}
