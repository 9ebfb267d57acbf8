export interface BatchesOptions<Item, Result> {
  /** Does it for them all, and gives what came of each, in their order. */
  perform: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** What comes within this time is done together. */
  afterMs: number;
  /** As many are not held any longer. */
  most: number;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/** Does together what comes one after the other: one statement or transaction instead of many, a batch at a time. */
export class Batches<Item, Result> {
  readonly #options: BatchesOptions<Item, Result>;
  #waiting: Waiting<Item, Result>[] = [];
  #timer: NodeJS.Timeout | null = null;
  #working: Promise<void> = Promise.resolve();

  constructor(options: BatchesOptions<Item, Result>) {
    this.#options = options;
  }

  /** What came of it, once it is done; `atOnce` waits for no others. */
  add(item: Item, { atOnce = false } = {}): Promise<Result> {
    const done = new Promise<Result>((resolve, reject) => this.#waiting.push({ item, resolve, reject }));
    if (atOnce || this.#waiting.length >= this.#options.most) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), this.#options.afterMs);
    return done;
  }

  #flush(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    const batch = this.#waiting;
    this.#waiting = [];
    if (batch.length > 0) this.#working = this.#working.then(() => this.#perform(batch));
  }

  async #perform(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#options.perform(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, index) => resolve(results[index] as Result));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
