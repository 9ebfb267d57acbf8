import { Fifo } from './fifo.ts';
import type { QueuedCall } from './queued-call.ts';

export class PerSiteQueue {
  readonly #busy = new Map<number, Fifo<QueuedCall>>();

  blocks({ call: { siteId }, hasSite }: QueuedCall): boolean {
    return siteId !== null && !hasSite && this.#busy.has(siteId);
  }

  hold(queued: QueuedCall): void {
    const { siteId } = queued.call;
    if (siteId === null) return;
    queued.state = 'held';
    this.#busy.get(siteId)?.push(queued);
  }

  occupy({ call: { siteId } }: QueuedCall): void {
    if (siteId !== null && !this.#busy.has(siteId)) this.#busy.set(siteId, new Fifo());
  }

  release({ call: { siteId } }: QueuedCall): QueuedCall | null {
    const held = siteId === null ? undefined : this.#busy.get(siteId);
    if (!held || siteId === null) return null;
    for (let next = held.shift(); next; next = held.shift()) {
      if (next.state === 'done') continue;
      next.state = 'waiting';
      next.hasSite = true;
      return next;
    }
    this.#busy.delete(siteId);
    return null;
  }
}
