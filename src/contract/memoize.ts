/**
 * Makes something of a contract once a process. A contract is read once and changed by nobody, so that what is made of
 * it holds for every service of the process.
 */
export function memoize<Key extends object, Made>(make: (key: Key) => Made): (key: Key) => Made {
  const made = new WeakMap<Key, { of: Made }>();
  return (key) => {
    const known = made.get(key) ?? { of: make(key) };
    made.set(key, known);
    return known.of;
  };
}
