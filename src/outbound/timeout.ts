/** A timer that fires this much later than set shows that the process stood still (`SIGSTOP`, a paused machine). */
const STALL_MS = 1_000;

/**
 * Calls `expired` at `endsAt` (scale of `performance.now()`). Returns a function that cancels the call. Node runs
 * timers before it reads from sockets. If the process was stopped for a while, a response that arrived meanwhile would
 * count as late. Therefore the sockets are read before `expired` is called. A TLS handshake makes no progress while the
 * process is stopped. If the timer fires a second or more after `endsAt`, the timeout is extended once by that
 * delay, and at most doubled.
 */
export function startTimeout(endsAt: number, expired: () => void): () => void {
  let immediate: NodeJS.Immediate | undefined;
  const ms = Math.max(0, Math.ceil(endsAt - performance.now()));
  const expireAfterReading = (): void => void (immediate = setImmediate(expired));
  let timer = setTimeout(() => {
    const lateMs = performance.now() - endsAt;
    if (lateMs < STALL_MS) expireAfterReading();
    else timer = setTimeout(expireAfterReading, Math.min(lateMs, ms));
  }, ms);
  return () => {
    clearTimeout(timer);
    clearImmediate(immediate);
  };
}
