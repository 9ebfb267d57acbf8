import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { readDatabaseTime } from '../../db/database-clock.ts';
import type { Sealing } from '../../db/sealing.ts';
import { DAY, type Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/logger.ts';
import type {
  IdempotencyStore,
  IdempotencyClaim,
  StoredResponse,
  IdempotentRequest,
} from '../../shared/idempotency-store.ts';
import { IdempotentCallRepository, type IdempotentCall } from './idempotent-call-repository.ts';

const KEPT_FOR = DAY;

export interface IdempotentCallsDeps {
  knex: Knex;
  sealing: Sealing;
  clock: Clock;
  logger: Logger;
  /** Lease of a running call. Its process renews it in time; after a kill it expires. */
  leaseMs: number;
}

/**
 * Stores responses to calls with an idempotency key for a day. They are encrypted, because they can contain secret
 * data.
 */
export class IdempotentCalls implements IdempotencyStore {
  readonly #deps: IdempotentCallsDeps;
  readonly #repository: IdempotentCallRepository;
  /** Calls that this process runs: hash of the idempotency key, and random ID with which the process holds the call. */
  readonly #running = new Map<string, string>();
  #renewing: NodeJS.Timeout | null = null;

  constructor(deps: IdempotentCallsDeps) {
    this.#deps = deps;
    this.#repository = new IdempotentCallRepository(deps.knex);
  }

  /**
   * Returns `mine` for exactly one of several concurrent calls, across all processes. That call must end with `settle`
   * or `abandon`.
   */
  async claim({
    owner,
    key,
    fingerprint: requestFingerprint,
    isRepeatable: harmless,
  }: IdempotentRequest): Promise<IdempotencyClaim> {
    const { sealing, leaseMs } = this.#deps;
    const now = await this.#now();
    const id = sealing.hash(`idempotency\n${owner}\n${key}`);
    // A keyed hash, because the request may contain a password. A stolen table must not help to guess it.
    const fingerprint = sealing.hash(`fingerprint\n${requestFingerprint}`);
    const holder = randomUUID();
    await this.#repository.deleteOne(id, now - KEPT_FOR);
    await this.#repository.insert(id, { fingerprint, holder, leasedUntil: now + leaseMs }, now);
    const call = await this.#repository.find(id);
    if (!call) return { kind: 'running' };
    if (call.holder === holder) return this.#hold(id, holder);
    if (call.fingerprint !== fingerprint) return { kind: 'other' };
    if (call.state === 'secret') return { kind: 'secret' };
    if (call.state === 'answered') return { kind: 'answered', answer: this.#open(id, call) };
    if (call.leasedUntil > now) return { kind: 'running' };
    if (!harmless) return { kind: 'interrupted' };
    const mine = await this.#repository.takeOver(id, call.holder, holder, now + leaseMs, now);
    return mine ? this.#hold(id, holder) : { kind: 'running' };
  }

  async settle(id: string, answer: StoredResponse | null): Promise<void> {
    const sealed = answer && this.#deps.sealing.seal(JSON.stringify(storedFields(answer)), encryptionContextOf(id));
    await this.#end(id, (holder) => this.#repository.settle(id, holder, answer ? 'answered' : 'secret', sealed));
  }

  abandon(id: string, { mayHaveRun }: { mayHaveRun: boolean }): Promise<void> {
    return this.#end(id, (holder) => this.#repository[mayHaveRun ? 'endLease' : 'delete'](id, holder));
  }

  async prune(): Promise<number> {
    return this.#repository.purge((await this.#now()) - KEPT_FOR);
  }

  /** Ends the leases of all running calls of other processes. Call this only if no other process uses the database. */
  expireStale(): Promise<void> {
    return this.#repository.expireAllBut([...this.#running.values()]);
  }

  close(): void {
    if (this.#renewing) clearInterval(this.#renewing);
  }

  async #end(id: string, store: (holder: string) => Promise<void>): Promise<void> {
    const holder = this.#running.get(id);
    this.#running.delete(id);
    if (holder === undefined) return;
    try {
      await store(holder);
    } catch (error) {
      // The call was made, and its caller gets the response. A retry gets the error for an interrupted call.
      this.#deps.logger.error({ err: error }, 'the end of a call with an idempotency key could not be stored');
    }
  }

  #hold(id: string, holder: string): IdempotencyClaim {
    this.#running.set(id, holder);
    this.#renewing ??= setInterval(() => void this.#renew(), this.#deps.leaseMs / 3).unref();
    return { kind: 'mine', id };
  }

  async #renew(): Promise<void> {
    if (this.#running.size === 0) return;
    const { logger, leaseMs } = this.#deps;
    try {
      await this.#repository.renew(this.#running, (await this.#now()) + leaseMs);
    } catch (error) {
      logger.warn({ err: error }, 'leases of idempotent calls could not be renewed');
    }
  }

  #now(): Promise<number> {
    return readDatabaseTime(this.#deps.knex, this.#deps.clock);
  }

  #open(id: string, { answer }: IdempotentCall): StoredResponse {
    return JSON.parse(this.#deps.sealing.open(answer ?? '', encryptionContextOf(id))) as StoredResponse;
  }
}

const encryptionContextOf = (id: string): string => `idempotent_calls.answer:${id}`;

const storedFields = ({ status, headers, body, etag }: StoredResponse): StoredResponse => ({
  status,
  ...(headers ? { headers } : {}),
  ...(body === undefined ? {} : { body }),
  ...(etag === undefined ? {} : { etag }),
});
