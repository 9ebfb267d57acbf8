import { setTimeout as sleep } from 'node:timers/promises';
import { abortAfter } from '../shared/abort-after.ts';
import { CheckNotPossible } from './check-not-possible.ts';

export interface Credentials {
  key?: string | undefined;
  user?: string | undefined;
  password?: string | undefined;
}
/**
 * Credentials of a call. `caller` sends the key, or the password if there is no key. `nobody` sends no credentials, and
 * `stranger` sends a wrong key.
 */
export type CallerKind = 'caller' | 'key' | 'password' | 'nobody' | 'stranger';

export interface CallOptions {
  as?: CallerKind;
  headers?: Record<string, string>;
  body?: string | null;
}
export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  json: unknown;
}

const CLOSED: ReadonlySet<unknown> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

const isClosed = (error: unknown): boolean => {
  const { cause } = error as { cause?: { code?: unknown } };
  return CLOSED.has(cause?.code);
};

const TIMEOUT_MS = 60_000;
const MAX_RESPONSE_BYTES = 64 << 20;
const MAX_RETRIES = 5;

export class VerifiedService {
  readonly url: string;
  /** Ends the calls, which then throw its reason. */
  readonly signal: AbortSignal;
  readonly #credentials: Credentials;
  calls = 0;

  constructor(url: string, credentials: Credentials, signal = new AbortController().signal) {
    this.url = url.replace(/\/+$/, '');
    this.signal = signal;
    this.#credentials = credentials;
  }

  has(as: 'key' | 'password'): boolean {
    return this.#credentials[as] !== undefined;
  }

  async call(
    method: string,
    path: string,
    { as = 'caller', headers = {}, body = null }: CallOptions = {},
  ): Promise<Reply> {
    const authorization = this.#authorization(as);
    for (let attempt = 1; ; attempt++) {
      this.calls++;
      const answer = await this.#fetch(path, {
        method,
        headers: {
          ...(authorization === null ? {} : { authorization }),
          ...(body === null ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        body,
      });
      const text = await readBounded(answer);
      if (answer.status === 429 && attempt < MAX_RETRIES) {
        await sleep(1000 * Math.min(60, Number(answer.headers.get('retry-after')) || 1), undefined, {
          signal: this.signal,
        });
        continue;
      }
      return { status: answer.status, headers: answer.headers, text, json: jsonIn(answer.headers, text) };
    }
  }

  /**
   * Sends a request. A server can close an idle connection while this process is busy, for example with reading a
   * contract. The request is then sent once more, because these calls change nothing. Throws `CheckNotPossible` if
   * there is no response.
   */
  async #fetch(path: string, request: RequestInit): Promise<Response> {
    const send = (): Promise<Response> =>
      fetch(this.url + path, {
        ...request,
        redirect: 'manual',
        signal: AbortSignal.any([this.signal, abortAfter(TIMEOUT_MS)]),
      });
    try {
      return await send().catch((error: unknown) => {
        if (!isClosed(error)) throw error;
        return send();
      });
    } catch (error) {
      this.signal.throwIfAborted();
      const { message, cause } = error as Error;
      const reason = cause instanceof Error && cause.message !== '' ? cause.message : message;
      throw new CheckNotPossible(`${this.url} does not answer: ${reason}.`, null, error);
    }
  }

  #authorization(as: CallerKind): string | null {
    const { key, user, password } = this.#credentials;
    if (as === 'nobody') return null;
    if (as === 'stranger') return 'Bearer nobody-has-a-key-like-this';
    if (as === 'key' || (as === 'caller' && key !== undefined)) return `Bearer ${key}`;
    return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  }
}

async function readBounded(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > MAX_RESPONSE_BYTES) throw new Error(`The answer is larger than ${MAX_RESPONSE_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function jsonIn(headers: Headers, text: string): unknown {
  if (!/^application\/(\w+\+)?json/.test(headers.get('content-type') ?? '')) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
