import { createServer, IncomingMessage, ServerResponse, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { CodedInvalidError, StoppingError } from '../shared/errors.ts';
import type { Logger } from '../shared/logger.ts';
import { latePrototype } from './late-prototype.ts';
import { refuseEarly } from './refuse-early.ts';
import { useOriginForm } from './request-target.ts';
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
  readonly #unreadable = new WeakSet<Socket>();
  readonly #request = latePrototype(IncomingMessage);
  readonly #response = latePrototype(ServerResponse);
  readonly #logger: Logger;
  readonly #early: Parameters<RequestListener>[] = [];
  #listener: RequestListener = (...call) => void this.#early.push(call);
  #draining = false;

  /** Requests that arrive before `serve` is called wait for it. */
  constructor(logger: Logger) {
    this.#logger = logger;
    const creation = {
      IncomingMessage: this.#request.constructor,
      ServerResponse: this.#response.constructor,
    };
    // Node would refuse a request without `Host` with an empty response.
    const options = { keepAliveTimeout: KEEP_ALIVE_MS, requireHostHeader: false, ...creation };
    const listener: RequestListener = (request, response) => {
      if (this.#draining) return refuseEarly(response, stopping(), logger);
      if (isHostMissing(request)) return refuseEarly(response, hostMissing(), logger);
      useOriginForm(request);
      this.#activeResponses.set(response, request.socket);
      response.on('close', () => {
        this.#activeResponses.delete(response);
        // If the header of a response was sent before the drain, it announced keep-alive, so the client would not close
        // the connection.
        if (this.#draining) request.socket.destroySoon();
      });
      return this.#listener(request, response);
    };
    this.server = createServer(options, listener);
    // An unknown expectation may be ignored (RFC 9110, 10.1.1). Node would refuse it with an empty response.
    this.server.on('checkExpectation', listener);
    this.server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
    this.server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
      this.#refuseUnreadable(error, socket as Socket),
    );
  }

  #refuseUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
    if (error.code === 'ECONNRESET') return void socket.destroy();
    // Each further part of an unreadable request is an error of its own.
    if (this.#unreadable.has(socket)) return;
    this.#unreadable.add(socket);
    const last = [...this.#activeResponses].findLast(([, at]) => at === socket)?.[0];
    const refuse = (pending?: ServerResponse): void => refuseUnreadable(error, { socket, pending }, this.#logger);
    if (!last) refuse();
    // The request before it on the connection gets its response first.
    else if (last.req.complete) last.once('close', () => refuse());
    else if (last.headersSent) socket.destroy();
    else refuse(last);
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
      else refuseEarly(response, stopping(), this.#logger);
    }
  }
}

function stopping(): StoppingError {
  const message = 'The service is stopping and did not run the call. Send it again.';
  return new StoppingError('svc_stopping', message, { retry_after_seconds: 1 });
}

const isHostMissing = ({ headers, httpVersionMinor }: IncomingMessage): boolean =>
  headers.host === undefined && httpVersionMinor > 0;

const hostMissing = (): CodedInvalidError =>
  new CodedInvalidError('svc_malformed_request', 'The request has no Host header.');
