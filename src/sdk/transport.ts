import createFetchClient from 'openapi-fetch';
import type { Operation } from '../../generated/sdk/operation.ts';
import { Deadline, wait } from './deadline.ts';
import { ConnectionError, isRefusal, SitefleetError } from './errors.ts';
import { credentialHeader, type Credential } from './credential.ts';
import type { Request } from './request.ts';
import { backoffMs, mayChange, retryAfterMs, type Backoff } from './retry.ts';

/** How a single call is made. */
export interface CallOptions {
  /** Ends the call; what it throws is the reason of the signal. */
  signal?: AbortSignal;
  /** Milliseconds for the call with all its attempts. */
  timeoutMs?: number;
  /** Lets a change be sent again without being done twice. Without one, each change gets its own. */
  idempotencyKey?: string;
  /** Further attempts. */
  retries?: number;
  /** The `etag` of what is edited: the edit is refused (`svc_precondition_failed`) when somebody else was faster. */
  ifMatch?: string;
  /** The `etag` of what is known already: the answer is 304 without data when that still holds. */
  ifNoneMatch?: string;
}

export type TransportOptions = Credential & {
  /** Address of the service, e.g. `https://fleet.example`. */
  url: string;
  /**
   * Further attempts after 429 and 503, and after no answer where the call may be repeated. A change is sent with an
   * `Idempotency-Key`, so that it may.
   * @default 2
   */
  retries?: number;
  /**
   * Milliseconds for a call with all its attempts.
   * @default 330_000
   */
  timeoutMs?: number;
  /** Of the waits between attempts: the first is 250 ms, the longest a minute. */
  backoff?: Partial<Backoff>;
  /** In place of the one of the platform. */
  fetch?: (request: globalThis.Request) => Promise<Response>;
};

/** Calls over several sites wait up to 300 s by default. */
const TIMEOUT_MS = 330_000;

/** Sends a call until it is answered for good. */
export class Transport {
  readonly #http: ReturnType<typeof createFetchClient<Record<string, never>>>;
  readonly #authorization: string;
  readonly #retries: number;
  readonly #timeoutMs: number;
  readonly #backoff: Backoff;

  constructor({ url, retries = 2, timeoutMs = TIMEOUT_MS, backoff, fetch, ...credential }: TransportOptions) {
    this.#authorization = credentialHeader(credential);
    this.#retries = retries;
    this.#timeoutMs = timeoutMs;
    this.#backoff = { firstMs: 250, longestMs: 60_000, ...backoff };
    this.#http = createFetchClient({ baseUrl: baseOf(url), redirect: 'manual', ...(fetch && { fetch }) });
  }

  /** Reading the answer is part of the call; what is given as it comes can be ended by the caller's signal alone. */
  async send<T>(
    operation: Operation,
    request: Request,
    options: CallOptions = {},
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const { retries = this.#retries, timeoutMs = this.#timeoutMs } = options;
    const deadline = new Deadline(options.signal, timeoutMs);
    const { signal } = deadline;
    const { repeatable = false, keyed = false } = operation;
    let key = options.idempotencyKey ?? (keyed && retries > 0 ? newKey() : undefined);
    let isOpen = false;
    const mayRepeat = repeatable || key !== undefined;
    try {
      for (let attempt = 0; ; attempt++) {
        const isLast = attempt >= retries;
        let pause = backoffMs(attempt, this.#backoff);
        try {
          const { response, error } = await this.#once(operation, request, key, options, signal);
          if (response.ok || response.status === 304) {
            const answer = await received(response, read);
            isOpen = (answer as unknown) === response;
            return answer;
          }
          const refusal = new SitefleetError(response.status, error, response.headers.get('x-request-id'));
          const asked = retryAfterMs(response.headers.get('retry-after')) ?? 0;
          if (isLast || asked > this.#backoff.longestMs || !mayChange(refusal, response, { mayRepeat })) throw refusal;
          pause = Math.max(pause, asked);
          // What was refused was not done, and is asked for anew; the old key would bring the old refusal.
          if (repeatable && key !== undefined && options.idempotencyKey === undefined && response.status === 503)
            key = newKey();
        } catch (error) {
          signal.throwIfAborted();
          if (!(error instanceof ConnectionError) || isLast || !mayRepeat) throw error;
        }
        await wait(pause, signal);
      }
    } finally {
      if (isOpen) deadline.stop();
      else deadline.release();
    }
  }

  async #once(
    operation: Operation,
    request: Request,
    key: string | undefined,
    options: CallOptions,
    signal: AbortSignal,
  ): Promise<{ response: Response; error?: unknown }> {
    const { method, path, query, body } = request;
    const headers = {
      authorization: this.#authorization,
      ...(key !== undefined && method !== 'GET' && { 'idempotency-key': key }),
      ...(options.ifMatch !== undefined && { 'if-match': options.ifMatch }),
      ...(options.ifNoneMatch !== undefined && { 'if-none-match': options.ifNoneMatch }),
    };
    try {
      return await this.#http.request(
        method.toLowerCase() as 'get',
        operation.path as never,
        {
          params: { path, query: query === '' ? undefined : {} },
          querySerializer: () => query,
          bodySerializer: (sent: unknown) => (sent instanceof FormData ? sent : JSON.stringify(sent)),
          parseAs: 'stream',
          headers,
          signal,
          ...(body === undefined ? {} : { body }),
        } as never,
      );
    } catch (error) {
      signal.throwIfAborted();
      throw new ConnectionError('The service did not answer.', { cause: error });
    }
  }
}

/** A body that breaks off is an answer that never came. */
async function received<T>(response: Response, read: (response: Response) => Promise<T>): Promise<T> {
  try {
    return await read(response);
  } catch (error) {
    if (isRefusal(error)) throw error;
    throw new ConnectionError('The answer of the service broke off.', { cause: error });
  }
}

function baseOf(url: string): string {
  const { protocol, username, password } = new URL(url);
  if (username || password)
    throw new TypeError('The credential must stand in `key`, or in `user` and `password`, not in the URL.');
  if (protocol !== 'https:' && protocol !== 'http:')
    throw new TypeError('The URL must begin with https:// or http://.');
  return url.replace(/\/+$/, '');
}

/** Not `randomUUID`, which browsers have on secure pages alone. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
