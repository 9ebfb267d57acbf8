/** Returns random numbers that are the same for the same seed. */
export function randomNumbers(seed: number) {
  let state = seed;
  const below = (limit: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  return { below, of: <T>(items: readonly T[]): T => items[below(items.length)] as T };
}
