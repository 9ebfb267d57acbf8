interface Node<T> {
  value: T;
  next: Node<T> | null;
}

/** Queue whose operations take constant time, however long it is. */
export class Fifo<T> {
  #head: Node<T> | null = null;
  #tail: Node<T> | null = null;
  length = 0;

  push(value: T): void {
    const node = { value, next: null };
    if (this.#tail) this.#tail.next = node;
    else this.#head = node;
    this.#tail = node;
    this.length += 1;
  }

  unshift(value: T): void {
    this.#head = { value, next: this.#head };
    this.#tail ??= this.#head;
    this.length += 1;
  }

  shift(): T | undefined {
    const node = this.#head;
    if (!node) return undefined;
    this.#head = node.next;
    if (!this.#head) this.#tail = null;
    this.length -= 1;
    return node.value;
  }
}
