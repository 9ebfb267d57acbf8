/**
 * Runs `work` with a signal that aborts when one of `signals` does. `AbortSignal.any` is not suitable for a signal that
 * lives as long as the process: Node 20 keeps an entry for each combined signal at its sources, even after the work.
 */
export async function withEitherSignal<T>(
  signals: readonly AbortSignal[],
  work: (either: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const watched = signals.map((signal) => ({ signal, abort: () => controller.abort(signal.reason) }));
  for (const { signal, abort } of watched) {
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
  }
  try {
    return await work(controller.signal);
  } finally {
    for (const { signal, abort } of watched) signal.removeEventListener('abort', abort);
  }
}
