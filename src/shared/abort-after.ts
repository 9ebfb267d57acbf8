/**
 * Returns a signal that aborts after `ms` milliseconds. Unlike `AbortSignal.timeout`, it can be given to
 * `AbortSignal.any`: Node lets the garbage collector remove a timeout to which only a combined signal refers, and the
 * combined signal then never aborts.
 */
export function abortAfter(ms: number): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), ms).unref();
  return controller.signal;
}
