/**
 * Caches the result for each key. The keys are contracts and parts of contracts, which never change after they were
 * read, so all services of the process share the results.
 */
export function memoize<Key extends object, Made>(make: (key: Key) => Made): (key: Key) => Made {
  const made = new WeakMap<Key, { of: Made }>();
  return (key) => {
    const known = made.get(key) ?? { of: make(key) };
    made.set(key, known);
    return known.of;
  };
}
