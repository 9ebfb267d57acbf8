/**
 * Returns a function that waits for a separate turn of the event loop. Only one caller of the same gate gets each turn.
 * Await it before work that takes long: other ready callbacks then run between two pieces of such work.
 */
export function createEventLoopGate(): () => Promise<void> {
  const waiting: (() => void)[] = [];
  let isOpening = false;
  const open = (): void => {
    waiting.shift()?.();
    // The released caller continues in microtasks. A `nextTick` that is queued in a microtask runs after all of them,
    // so the next turn is scheduled only after the caller's work.
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

/** All long work about sites in this process uses this gate. */
export const nextEventLoopTurn = createEventLoopGate();

/** Time that the work of one turn may take before it continues in the next turn. */
const LONGEST_TURN_MS = 10;
let turnBegan: number | null = null;

function beginTurn(): number {
  const now = performance.now();
  turnBegan = now;
  setImmediate(() => (turnBegan = null));
  return now;
}

const isLongTurn = (): boolean => performance.now() - (turnBegan ?? beginTurn()) > LONGEST_TURN_MS;

/**
 * Returns a function that waits for the next turn. Waiting callers begin in order of arrival. Several can begin in one
 * turn, until that turn has taken longer than `LONGEST_TURN_MS`.
 */
function createSharedTurns(): () => Promise<void> {
  const waiting: (() => void)[] = [];
  let isOpening = false;
  const open = (): void => {
    beginTurn();
    release();
  };
  const release = (): void => {
    waiting.shift()?.();
    // As in `createEventLoopGate`, this runs after the work of the released caller.
    queueMicrotask(() =>
      process.nextTick(() => {
        isOpening = waiting.length > 0;
        if (!isOpening) return;
        if (isLongTurn()) setImmediate(open);
        else release();
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

const nextTurnOfLongWork = createSharedTurns();
const nextTurnOfStatements = createSharedTurns();

/**
 * Call this between the steps of long work, and await its result. Returns a promise of the next turn if this turn has
 * taken too long, and undefined otherwise.
 */
export const endLongTurn = (): Promise<void> | undefined => (isLongTurn() ? nextTurnOfLongWork() : undefined);

/**
 * Like `endLongTurn`, for synchronous SQL statements. They have their own queue, so short requests do not wait for
 * other work.
 */
export const endLongTurnOfStatements = (): Promise<void> | undefined =>
  isLongTurn() ? nextTurnOfStatements() : undefined;

export async function mapInTurns<Item, Made>(items: readonly Item[], make: (item: Item) => Made): Promise<Made[]> {
  const made: Made[] = [];
  for (const item of items) {
    await endLongTurn();
    made.push(make(item));
  }
  return made;
}
