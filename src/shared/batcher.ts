export interface BatcherOptions<Item, Result> {
  /** Returns one result per item, in the order of the items. */
  perform: (items: readonly Item[]) => Promise<readonly Result[]>;
  delayMs: number;
  maxItems: number;
}

interface WaitingItem<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/** Processes items in batches, so that many items need one statement or transaction. Batches run one after another. */
export class Batcher<Item, Result> {
  readonly #options: BatcherOptions<Item, Result>;
  #waiting: WaitingItem<Item, Result>[] = [];
  #timer: NodeJS.Timeout | null = null;
  #working: Promise<void> = Promise.resolve();

  constructor(options: BatcherOptions<Item, Result>) {
    this.#options = options;
  }

  add(item: Item, { atOnce = false } = {}): Promise<Result> {
    const done = new Promise<Result>((resolve, reject) => this.#waiting.push({ item, resolve, reject }));
    if (atOnce || this.#waiting.length >= this.#options.maxItems) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), this.#options.delayMs);
    return done;
  }

  #flush(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    const batch = this.#waiting;
    this.#waiting = [];
    if (batch.length > 0) this.#working = this.#working.then(() => this.#perform(batch));
  }

  async #perform(batch: readonly WaitingItem<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#options.perform(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, index) => resolve(results[index] as Result));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
