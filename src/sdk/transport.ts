import createFetchClient from 'openapi-fetch';
import type { Operation } from '../../generated/sdk/operation.ts';
import { Deadline, wait } from './deadline.ts';
import { ConnectionError, isRefusal, SitefleetError } from './errors.ts';
import { credentialHeader, type Credential } from './credential.ts';
import { onBodyEnd } from './file-response.ts';
import type { OperationRequest } from './request.ts';
import { backoffMs, isFirstCallRunning, shouldRetry, retryAfterMs, type Backoff } from './retry.ts';

export interface CallOptions {
  /** Aborts the call, which then throws the signal's reason. */
  signal?: AbortSignal;
  /** Timeout of the call in milliseconds, all attempts included. */
  timeoutMs?: number;
  /** Key that keeps a retried change from being made twice. Default: a new key for each change. */
  idempotencyKey?: string;
  retries?: number;
  /** `etag` of the record to edit. Fails with `svc_precondition_failed` if the record has changed since. */
  ifMatch?: string;
  /** `etag` of the record that the caller has. The response is 304 without data if it has not changed. */
  ifNoneMatch?: string;
}

export type TransportOptions = Credential & {
  /** Base URL of the service, for example `https://fleet.example`. */
  url: string;
  /**
   * Maximum number of retries after status 429 and, if the call may be repeated, after status 503 and lost connections.
   * Changes may be repeated because they are sent with an `Idempotency-Key`. Requests that wait for the first call with
   * the same key do not count.
   * @default 2
   */
  retries?: number;
  /**
   * Timeout of a call in milliseconds, all attempts included.
   * @default 330_000
   */
  timeoutMs?: number;
  /** Delays between attempts. Defaults: the first is 250 ms, the longest 60,000 ms. */
  backoff?: Partial<Backoff>;
  /** Function that replaces the platform's `fetch`. */
  fetch?: (request: globalThis.Request) => Promise<Response>;
};

/**
 * Default timeout. It is longer than the 300 seconds that the service, by default, waits for the results of several
 * sites.
 */
const TIMEOUT_MS = 330_000;

/** Maximum delay in milliseconds between two requests that wait for the first call with the same idempotency key. */
const LONGEST_WAIT_MS = 5_000;

export class Transport {
  readonly #http: ReturnType<typeof createFetchClient<Record<string, never>>>;
  readonly #authorization: string;
  readonly #retries: number;
  readonly #timeoutMs: number;
  readonly #backoff: Backoff;
  readonly #fetch: NonNullable<TransportOptions['fetch']>;

  constructor(options: TransportOptions) {
    const { url, retries = 2, timeoutMs = TIMEOUT_MS, backoff, fetch = globalThis.fetch, ...credential } = options;
    this.#authorization = credentialHeader(credential);
    this.#retries = retries;
    this.#timeoutMs = timeoutMs;
    this.#backoff = { firstMs: 250, longestMs: 60_000, ...backoff };
    this.#fetch = fetch;
    this.#http = createFetchClient({ baseUrl: checkedBaseUrl(url), redirect: 'manual' });
  }

  /**
   * Sends a call and reads the response within the timeout. If `read` returns the response itself, its body is streamed
   * later, and only the caller's signal can abort that.
   */
  async send<T>(
    operation: Operation,
    request: OperationRequest,
    options: CallOptions = {},
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const { retries = this.#retries, timeoutMs = this.#timeoutMs } = options;
    const deadline = new Deadline(options.signal, timeoutMs);
    const { signal } = deadline;
    const { repeatable = false, keyed = false } = operation;
    let key = options.idempotencyKey ?? (keyed && retries > 0 ? newIdempotencyKey() : undefined);
    let isOpen = false;
    const mayRepeat = repeatable || key !== undefined;
    let attempt = 0;
    let waits = 0;
    try {
      for (;;) {
        const isLast = attempt >= retries;
        let pause = backoffMs(attempt, this.#backoff);
        try {
          const { response, error } = await this.#once(operation, request, key, options, deadline);
          if (response.ok || response.status === 304) {
            const answer = await readOrThrowConnectionError(response, read);
            if ((answer as unknown) !== response || !options.signal) return answer;
            isOpen = true;
            return onBodyEnd(response, () => deadline.release()) as T;
          }
          const refusal = new SitefleetError(response.status, error, response.headers.get('x-request-id'));
          const asked = retryAfterMs(response.headers.get('retry-after')) ?? 0;
          if (retries > 0 && isFirstCallRunning(refusal)) {
            await wait(Math.min(LONGEST_WAIT_MS, backoffMs(waits++, this.#backoff)), signal);
            continue;
          }
          if (isLast || asked > this.#backoff.longestMs || !shouldRetry(refusal, response, { mayRepeat }))
            throw refusal;
          pause = Math.max(pause, asked);
          // The service may count a call with status 503 as interrupted, and then refuses its key. A new key is safe,
          // because the operation may be repeated even without one.
          if (repeatable && key !== undefined && options.idempotencyKey === undefined && response.status === 503)
            key = newIdempotencyKey();
        } catch (error) {
          signal.throwIfAborted();
          if (!(error instanceof ConnectionError) || isLast || !mayRepeat) throw error;
        }
        await wait(pause, signal);
        attempt++;
      }
    } finally {
      if (isOpen) deadline.stop();
      else deadline.release();
    }
  }

  async #once(
    operation: Operation,
    request: OperationRequest,
    key: string | undefined,
    options: CallOptions,
    deadline: Deadline,
  ): Promise<{ response: Response; error?: unknown }> {
    const { method, path, query, body } = request;
    const { signal } = deadline;
    const send = this.#fetch;
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
          fetch: (sent: globalThis.Request) => {
            deadline.request = sent;
            return send(sent);
          },
          ...(body === undefined ? {} : { body }),
        } as never,
      );
    } catch (error) {
      signal.throwIfAborted();
      throw new ConnectionError('The service did not answer.', { cause: error });
    }
  }
}

/** An interrupted response becomes a `ConnectionError`, so that the call can be retried. */
async function readOrThrowConnectionError<T>(response: Response, read: (response: Response) => Promise<T>): Promise<T> {
  try {
    return await read(response);
  } catch (error) {
    if (isRefusal(error)) throw error;
    throw new ConnectionError('The response of the service was interrupted.', { cause: error });
  }
}

function checkedBaseUrl(url: string): string {
  const { protocol, username, password } = new URL(url);
  if (username || password)
    throw new TypeError('Pass the credential in `key`, or in `user` and `password`, not in the URL.');
  if (protocol !== 'https:' && protocol !== 'http:')
    throw new TypeError('The URL must begin with https:// or http://.');
  return url.replace(/\/+$/, '');
}

/** Does not use `crypto.randomUUID`, because browsers have it only on secure pages. */
function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
