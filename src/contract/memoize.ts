/** A contract never changes after it was read, so all services of the process share the cached results. */
export function memoize<Key extends object, Made>(make: (key: Key) => Made): (key: Key) => Made {
  const made = new WeakMap<Key, { of: Made }>();
  return (key) => {
    const known = made.get(key) ?? { of: make(key) };
    made.set(key, known);
    return known.of;
  };
}
