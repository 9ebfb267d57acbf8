/** Lets this process stand still, as `SIGSTOP` and a paused machine do. */
export function blockEventLoop(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
