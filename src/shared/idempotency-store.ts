export interface StoredResponse {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
  etag?: string;
}

export interface IdempotentRequest {
  owner: string;
  key: string;
  fingerprint: string;
  isRepeatable: boolean;
}

export type IdempotencyClaim =
  | { kind: 'mine'; id: string }
  | { kind: 'answered'; answer: StoredResponse }
  | { kind: 'secret' | 'other' | 'running' | 'interrupted' };

/** Stores responses of calls with an `Idempotency-Key`, for one day. */
export interface IdempotencyStore {
  claim(call: IdempotentRequest): Promise<IdempotencyClaim>;
  /** Stores the response; null stores only that the call was made. Never throws, because the call has already run. */
  settle(id: string, answer: StoredResponse | null): Promise<void>;
  /**
   * Ends a call that has no response to be stored. The call counts as interrupted if it may have had an effect.
   * Otherwise the key is free again. Never throws.
   */
  abandon(id: string, options: { mayHaveRun: boolean }): Promise<void>;
}
