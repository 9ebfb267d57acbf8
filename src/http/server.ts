import { randomUUID } from 'node:crypto';
import { createServer, IncomingMessage, ServerResponse, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { StoppingError } from '../shared/errors.ts';
import type { Logger } from '../shared/logger.ts';
import { errorBody, retryHeaders } from './errors.ts';
import { latePrototype } from './late-prototype.ts';
import { refuseUnreadable } from './unreadable-requests.ts';

/**
 * Time after which an idle connection is closed. It is longer than the idle time of usual proxies, so the service never
 * closes a connection on which a proxy just sent a request.
 */
const KEEP_ALIVE_MS = 75_000;

/** Time that callers get to send the rest of a request when the service stops. */
const REST_MS = 3_000;

type App = RequestListener & { request?: object; response?: object };

export class HttpServer {
  readonly server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #activeResponses = new Map<ServerResponse, Socket>();
  readonly #request = latePrototype(IncomingMessage);
  readonly #response = latePrototype(ServerResponse);
  readonly #early: Parameters<RequestListener>[] = [];
  #listener: RequestListener = (...call) => void this.#early.push(call);
  #draining = false;

  /** Requests that arrive before `serve` is called wait for it. */
  constructor(logger: Logger) {
    const creation = {
      IncomingMessage: this.#request.constructor,
      ServerResponse: this.#response.constructor,
    };
    this.server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS, ...creation }, (request, response) => {
      if (this.#draining) return refuseStopping(response);
      this.#activeResponses.set(response, request.socket);
      response.on('close', () => {
        this.#activeResponses.delete(response);
        // If the header of a response was sent before the drain, it announced keep-alive, so the client would not close
        // the connection.
        if (this.#draining) request.socket.destroySoon();
      });
      return this.#listener(request, response);
    });
    this.server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
    this.server.on('clientError', (error, socket) => {
      const isAnswered = [...this.#activeResponses].some(([{ headersSent }, at]) => at === socket && headersSent);
      if (isAnswered) socket.destroy();
      else refuseUnreadable(error, socket as Socket, logger);
    });
  }

  /**
   * Hands all requests to the application. Express sets its prototypes on each request and response. V8 then handles
   * the objects, and all code that uses them, in its slow mode, and a request costs twice the processor time. So
   * requests and responses are created with these prototypes: setting a prototype that an object already has changes
   * nothing.
   */
  serve(app: App): void {
    if (app.request && app.response) {
      this.#request.set(app.request);
      this.#response.set(app.response);
    }
    this.#listener = app;
    for (const call of this.#early.splice(0)) app(...call);
  }

  /** Refuses new calls, sends `Connection: close` with pending responses and resolves when all of them are sent. */
  async drain(): Promise<void> {
    this.#draining = true;
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    for (const response of this.#activeResponses.keys())
      if (!response.headersSent) response.setHeader('Connection', 'close');
    const busy = new Set(this.#activeResponses.values());
    for (const socket of this.#sockets) if (!busy.has(socket)) socket.destroy();
    const late = setTimeout(() => this.#refuseIncomplete(), REST_MS);
    await closed;
    clearTimeout(late);
  }

  #refuseIncomplete(): void {
    for (const [response, socket] of this.#activeResponses) {
      if (response.req.complete) continue;
      if (response.headersSent) socket.destroy();
      else refuseStopping(response);
    }
  }
}

function refuseStopping(response: ServerResponse): void {
  const data = { retry_after_seconds: 1 };
  const refusal = new StoppingError(
    'svc_stopping',
    'The service is stopping and did not run the call. Send it again.',
    data,
  );
  response.writeHead(refusal.status, {
    ...retryHeaders(refusal),
    Connection: 'close',
    'Content-Type': 'application/json; charset=utf-8',
    'X-Request-Id': randomUUID(),
  });
  response.end(JSON.stringify(errorBody(refusal)));
}
