/**
 * Waits for a turn of the event loop that no other caller of the same gate has. Put in front of work that is long for
 * one turn, it lets everything else that is ready go between any two pieces of it.
 */
export function turnGate(): () => Promise<void> {
  const waiting: (() => void)[] = [];
  let isOpening = false;
  const open = (): void => {
    waiting.shift()?.();
    // What was let through goes on in microtasks; a tick that the last of them asks for comes when all of it is done.
    queueMicrotask(() =>
      process.nextTick(() => {
        isOpening = waiting.length > 0;
        if (isOpening) setImmediate(open);
      }),
    );
  };
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (isOpening) return;
      isOpening = true;
      setImmediate(open);
    });
}

/** The gate of this process: all long pieces of work about sites pass through it, whatever they are. */
export const ownTurn = turnGate();
