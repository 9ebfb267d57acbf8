import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { OPERATIONS } from '../../generated/sdk/operations.ts';
import type { ErrorCode } from '../../generated/sdk/errors.ts';
import type {
  AbilityInput,
  AbilityName,
  AbilityOutput,
  ItemOf,
  PagedAbility,
  RouteArguments,
  RouteId,
  RouteOutput,
} from './types.ts';

export interface ClientOptions {
  /** Address of the service, e.g. `https://fleet.example`. */
  baseUrl: string;
  /** An API key, or a user with an application password. */
  credential: { apiKey: string } | { user: string; password: string };
  /** Further attempts after 429 or no answer, and after 5xx of a call that may be repeated. Default 2. */
  retries?: number;
  /** Milliseconds before the first of them; it doubles. Default 250. */
  backoffMs?: number;
}

/** A call that was refused. `code` is stable; see the table in the API docs. */
export class SitefleetError extends Error {
  override readonly name = 'SitefleetError';
  readonly status: number;
  readonly code: ErrorCode | 'unknown';
  readonly data: Record<string, unknown>;
  readonly requestId: string | null;

  constructor(status: number, body: unknown, requestId: string | null) {
    const { code, message, data } = (body ?? {}) as {
      code?: ErrorCode;
      message?: string;
      data?: Record<string, unknown>;
    };
    super(message ?? `The service answered ${status}.`);
    this.status = status;
    this.code = code ?? 'unknown';
    this.data = data ?? {};
    this.requestId = requestId;
  }
}

interface Call {
  method: string;
  url: URL;
  body?: string | FormData;
  repeatable: boolean;
  /** Goes with each attempt of a call that may not be repeated, so that it is done once all the same. */
  key?: string;
}

const MAX_URL = 8000;

interface Operation {
  method: string;
  path: string;
  readonly: boolean;
  idempotent: boolean;
  /** Of an operation that takes a form, those of its fields that are files. */
  files?: readonly string[];
}

function formOf(fields: object, files: readonly string[]): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields))
    if (files.includes(name)) form.append(name, new Blob([textOf(value)]), name);
    else if (value !== undefined) form.append(name, textOf(value));
  return form;
}

const textOf = (value: unknown): string => String(value);

/**
 * A typed client of both surfaces: `client.ability('list-sites-v1', {page: 2})`, `client.route('jobs_get', {path:
 * {job_id}})`.
 */
export class SitefleetClient {
  readonly #base: string;
  readonly #authorization: string;
  readonly #retries: number;
  readonly #backoffMs: number;

  constructor({ baseUrl, credential, retries = 2, backoffMs = 250 }: ClientOptions) {
    this.#base = baseUrl.replace(/\/+$/, '');
    this.#authorization =
      'apiKey' in credential
        ? `Bearer ${credential.apiKey}`
        : `Basic ${Buffer.from(`${credential.user}:${credential.password}`).toString('base64')}`;
    this.#retries = retries;
    this.#backoffMs = backoffMs;
  }

  /** Runs an ability. Throws `SitefleetError`; failures of single items stand in the answer's `errors`. */
  async ability<N extends AbilityName>(
    name: N,
    ...[input]: undefined extends AbilityInput<N> ? [input?: AbilityInput<N>] : [input: AbilityInput<N>]
  ): Promise<AbilityOutput<N>> {
    const { method, path, readonly, idempotent } = OPERATIONS[name];
    const url = new URL(this.#base + path);
    const byQuery = method === 'GET' && this.#putInQuery(url, input);
    const answer = await this.#send({
      method: byQuery ? 'GET' : 'POST',
      url,
      ...(byQuery ? {} : { body: JSON.stringify({ input: input ?? {} }) }),
      repeatable: readonly || idempotent,
    });
    return answer as AbilityOutput<N>;
  }

  /** All items of a paged ability, fetched a page at a time. */
  async *items<N extends PagedAbility>(name: N, input?: AbilityInput<N>): AsyncGenerator<ItemOf<N>> {
    for (let page = 1, seen = 0; ; page++) {
      const ask = { ...(input as object | undefined), page } as AbilityInput<N>;
      const answer = (await this.ability(name, ...([ask] as never))) as { items: ItemOf<N>[]; total: number };
      yield* answer.items;
      seen += answer.items.length;
      if (answer.items.length === 0 || seen >= answer.total) return;
    }
  }

  /** Calls a route of REST v2. */
  async route<Id extends RouteId>(id: Id, call: RouteArguments<Id>): Promise<RouteOutput<Id>> {
    const { method, path, readonly, idempotent, files } = OPERATIONS[id] as Operation;
    const {
      path: parts = {},
      query = {},
      body,
    } = call as {
      path?: Record<string, string | number>;
      query?: Record<string, unknown>;
      body?: unknown;
    };
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(parts[name])));
    const url = new URL(this.#base + filled);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, textOf(value));
    const answer = await this.#send({
      method,
      url,
      ...(body === undefined ? {} : { body: files ? formOf(body as object, files) : JSON.stringify(body) }),
      repeatable: readonly || idempotent,
    });
    return answer as RouteOutput<Id>;
  }

  /** Waits until a queued job has ended, and returns it with the first page of its items. */
  async finishedJob(
    jobId: string,
    { everyMs = 1000, timeoutMs = 3_600_000 }: { everyMs?: number; timeoutMs?: number } = {},
  ): Promise<RouteOutput<'jobs_get'>> {
    const until = Date.now() + timeoutMs;
    for (;;) {
      const job = await this.route('jobs_get', { path: { job_id: jobId } });
      if (job.data.completed_at !== null) return job;
      if (Date.now() >= until) throw new Error(`The job ${jobId} did not end in ${timeoutMs} ms.`);
      await sleep(everyMs);
    }
  }

  /** Brackets, as the contract has it. False when the address would be too long, and the input goes into a body. */
  #putInQuery(url: URL, input: unknown): boolean {
    for (const [name, value] of Object.entries((input as object | undefined) ?? {})) {
      if (value === undefined) continue;
      if (Array.isArray(value)) for (const item of value) url.searchParams.append(`input[${name}][]`, String(item));
      else url.searchParams.set(`input[${name}]`, String(value));
    }
    if (url.href.length <= MAX_URL) return true;
    url.search = '';
    return false;
  }

  async #send(call: Call): Promise<unknown> {
    const keyed = call.repeatable ? call : { ...call, key: randomUUID() };
    for (let attempt = 0; ; attempt++) {
      const last = attempt >= this.#retries;
      const outcome = await this.#once(keyed).catch((error: unknown) => {
        if (last) throw error;
        return null;
      });
      if (outcome) {
        const { response, body } = outcome;
        if (response.ok) return body;
        const refusal = new SitefleetError(response.status, body, response.headers.get('x-request-id'));
        if (last || !mayChange(refusal, keyed)) throw refusal;
        const wait = Number(response.headers.get('retry-after'));
        if (wait > 0) await sleep(wait * 1000);
      }
      await sleep(this.#backoffMs * 2 ** attempt);
    }
  }

  async #once({ method, url, body, key }: Call): Promise<{ response: Response; body: unknown }> {
    const response = await fetch(url, {
      method,
      headers: {
        authorization: this.#authorization,
        // A form names its own type, with what parts it.
        ...(typeof body === 'string' ? { 'content-type': 'application/json' } : {}),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    const json = response.headers.get('content-type')?.includes('json') && text !== '';
    return { response, body: json ? (JSON.parse(text) as unknown) : undefined };
  }
}

/** Whether the next attempt can be answered otherwise; what was answered to a key stays its answer. */
function mayChange({ status, code, data }: SitefleetError, { repeatable }: Call): boolean {
  if (code === 'svc_idempotency_in_progress') return data['interrupted'] !== true;
  return status === 429 || (repeatable && status >= 500);
}
