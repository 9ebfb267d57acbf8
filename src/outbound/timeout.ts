/** A timer that fires this much later than set shows that the process stood still (`SIGSTOP`, a paused machine). */
const STALL_MS = 1_000;

/**
 * Calls `expired` at `endsAt` (scale of `performance.now()`). Returns a function that cancels the call. Node runs
 * timers before it reads what has arrived on sockets. After a stall, a host that answered in time would count as late.
 * So what has arrived is read first. If the timer was late by a second or more, that time is added once, because a
 * handshake cannot go on during a stall. A timeout is at most doubled.
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
