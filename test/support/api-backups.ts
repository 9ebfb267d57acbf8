import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Responses of a provider by path and query. A number is a status without a body. */
type Answers = Record<string, object | number>;

/** The API of a provider, as its documentation describes it. */
export class FakeProviderApi {
  readonly #server: Server;
  readonly url: string;
  /** Requested paths in their order. */
  readonly requests: string[] = [];
  readonly authorizations = new Set<string>();
  responses: Answers = {};
  /** Statuses of the next responses, with their `Retry-After`. */
  readonly refusals: { status: number; retryAfter?: string }[] = [];
  /** Number of requests until all others get a 429 that asks for a delay of an hour. */
  allowed = Infinity;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(): Promise<FakeProviderApi> {
    const calls: { take: (request: IncomingMessage) => { status: number; body: string; retryAfter?: string } }[] = [];
    const server = createServer((request, response) => {
      const answer = calls[0]?.take(request) ?? { status: 503, body: '' };
      const headers = { 'content-type': 'application/json' };
      response.writeHead(
        answer.status,
        answer.retryAfter === undefined ? headers : { ...headers, 'retry-after': answer.retryAfter },
      );
      response.end(answer.body);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const api = new FakeProviderApi(server);
    calls.push({ take: (request) => api.#answer(request) });
    return api;
  }

  #answer({ url = '', headers }: IncomingMessage): { status: number; body: string; retryAfter?: string } {
    this.requests.push(url);
    this.authorizations.add(headers.authorization ?? '');
    const refusal = this.allowed-- > 0 ? this.refusals.shift() : { status: 429, retryAfter: '3600' };
    if (refusal) return { ...refusal, body: '{"id":"refused"}' };
    const answer = this.responses[url] ?? 404;
    return typeof answer === 'number' ? { status: answer, body: '' } : { status: 200, body: JSON.stringify(answer) };
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
