/** What the door and the storage of calls with an `Idempotency-Key` say to each other. */

/** An answer as it is kept for a repeated request. */
export interface KeptAnswer {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
  /** Tag of the record that was answered. */
  etag?: string;
}

/** A request that carries an `Idempotency-Key`. */
export interface KeyedCall {
  /** Credential that the key belongs to. */
  owner: string;
  key: string;
  /** Tells requests apart. */
  fingerprint: string;
  /** One that was interrupted may be run again. */
  harmless: boolean;
}

export type Claim =
  | { kind: 'mine'; id: string }
  | { kind: 'answered'; answer: KeptAnswer }
  | { kind: 'secret' | 'other' | 'running' | 'interrupted' };

/** Remembers for a day what was answered to whom. */
export interface AnswerStore {
  claim(call: KeyedCall): Promise<Claim>;
  /** Null for an answer that must not be kept. Never fails: the call has been made. */
  settle(id: string, answer: KeptAnswer | null): Promise<void>;
}
