import { CALL_KINDS, concurrencyLimitOf, type CallKind, type ConnectorLimits } from './connector-limits.ts';

export interface CallLoad {
  running: number;
  nextAt: number;
}

export class CallLimiter {
  readonly #settings: () => ConnectorLimits;
  readonly #now: () => number;
  readonly #all: CallLoad = { running: 0, nextAt: 0 };
  readonly #ofKind = new Map<CallKind, number>(CALL_KINDS.map((kind) => [kind, 0]));
  #newest: ConnectorLimits | undefined;
  #addressLimit = 0;

  constructor(settings: () => ConnectorLimits, now: () => number) {
    this.#settings = settings;
    this.#now = now;
  }

  /**
   * Reads the limits from the settings, so that a change applies to the next call. Returns true if the limit per IP
   * address was raised: waiting calls may then be sent.
   */
  refresh(): boolean {
    this.#newest = this.#settings();
    const { maximumIpRequests } = this.#newest;
    const isRaised = maximumIpRequests > this.#addressLimit;
    this.#addressLimit = maximumIpRequests;
    return isRaised;
  }

  get #limits(): ConnectorLimits {
    return (this.#newest ??= this.#settings());
  }

  get running(): number {
    return this.#all.running;
  }

  get isFull(): boolean {
    return this.#all.running >= this.#limits.maximumRequests;
  }

  get pause(): number {
    return this.#limits.minimumDelayMs > 0 ? this.untilNext(this.#all) : 0;
  }

  isKindFull(kind: CallKind): boolean {
    return (this.#ofKind.get(kind) ?? 0) >= concurrencyLimitOf(kind, this.#limits);
  }

  isAddressFull(address: CallLoad): boolean {
    return address.running >= this.#limits.maximumIpRequests;
  }

  pauseAt(address: CallLoad): number {
    return this.#limits.minimumIpDelayMs > 0 ? this.untilNext(address) : 0;
  }

  untilNext(load: CallLoad): number {
    return load.nextAt - this.#now();
  }

  start(kind: CallKind, address: CallLoad): void {
    this.#count(kind, address, 1);
    this.#all.nextAt = this.#now() + this.#limits.minimumDelayMs;
    address.nextAt = this.#now() + this.#limits.minimumIpDelayMs;
  }

  end(kind: CallKind, address: CallLoad): void {
    this.#count(kind, address, -1);
  }

  #count(kind: CallKind, address: CallLoad, by: 1 | -1): void {
    this.#all.running += by;
    address.running += by;
    this.#ofKind.set(kind, (this.#ofKind.get(kind) ?? 0) + by);
  }
}
