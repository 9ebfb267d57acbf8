import { createServer, IncomingMessage, ServerResponse, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { CodedInvalidError, StoppingError } from '../shared/errors.ts';
import type { Logger } from '../shared/logger.ts';
import { latePrototype } from './late-prototype.ts';
import { refuseEarly } from './refuse-early.ts';
import { useOriginForm } from './request-target.ts';
import { parserCodeToError, refuseOnSocket } from './unreadable-requests.ts';

/**
 * Time after which an idle connection is closed. It is longer than the idle time of usual proxies, so the service never
 * closes a connection on which a proxy just sent a request.
 */
const KEEP_ALIVE_MS = 75_000;

/** Time that callers get to send the rest of a request when the service stops. */
const REST_MS = 3_000;

type App = RequestListener & { request?: object; response?: object };

/** What is known of an open connection. */
interface Connection {
  /** Responses that are not sent yet, in the order of their requests. */
  pending: Set<ServerResponse>;
  /** Response to the last request whose header was valid. */
  last: ServerResponse | null;
  isUnreadable: boolean;
  /** Called when all pending responses are sent. */
  onIdle: (() => void) | null;
}

export class HttpServer {
  readonly server: Server;
  readonly #connections = new Map<Socket, Connection>();
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
    // Node would refuse a request without `Host` with an empty response. `requireHost` refuses it with an error.
    const options = { keepAliveTimeout: KEEP_ALIVE_MS, requireHostHeader: false, ...creation };
    const listener: RequestListener = (request, response) => {
      this.#track(request.socket, response);
      if (this.#draining) return refuseEarly(response, stopping(), logger);
      useOriginForm(request);
      return this.#listener(request, response);
    };
    this.server = createServer(options, listener);
    // An unknown expectation may be ignored (RFC 9110, 10.1.1). Node would refuse it with an empty response.
    this.server.on('checkExpectation', listener);
    this.server.on('connection', (socket) => {
      this.#connections.set(socket, { pending: new Set(), last: null, isUnreadable: false, onIdle: null });
      socket.on('close', () => this.#forget(socket));
    });
    this.server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
      this.#refuseUnreadable(error, socket as Socket),
    );
    this.server.on('connect', (_request, stream) => {
      const socket = stream as Socket;
      // Node has removed its listeners. Without one, an error would end the process.
      socket.on('error', () => socket.destroy());
      this.#whenIdle(socket, () => refuseOnSocket(socket, notAProxy(), 'CONNECT', logger));
    });
  }

  #track(socket: Socket, response: ServerResponse): void {
    const connection = this.#connections.get(socket);
    if (!connection) return;
    connection.pending.add(response);
    connection.last = response;
    response.on('close', () => {
      connection.pending.delete(response);
      // If the header of a response was sent before the drain, it announced keep-alive, so the client would not close
      // the connection.
      if (this.#draining) socket.destroySoon();
      if (connection.pending.size === 0) connection.onIdle?.();
    });
  }

  #forget(socket: Socket): void {
    const pending = this.#connections.get(socket)?.pending ?? [];
    this.#connections.delete(socket);
    // Node emits no event for a response that waits for an earlier one. It has no socket yet.
    for (const response of [...pending]) if (!response.socket) response.destroy().emit('close');
  }

  #whenIdle(socket: Socket, then: () => void): void {
    const connection = this.#connections.get(socket);
    if (!connection || connection.pending.size === 0) then();
    else connection.onIdle = then;
  }

  #refuseUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
    const connection = this.#connections.get(socket);
    if (error.code === 'ECONNRESET' || !connection) return void socket.destroy();
    // Each further part of an unreadable request is an error of its own.
    if (connection.isUnreadable) return;
    connection.isUnreadable = true;
    const { last } = connection;
    const isInBody = last !== null && !last.req.complete;
    if (isInBody && !last.headersSent) refuseEarly(last, parserCodeToError(error.code), this.#logger);
    // The requests before it on the connection get their responses first.
    else if (isInBody) this.#whenIdle(socket, () => socket.destroySoon());
    else
      this.#whenIdle(socket, () =>
        refuseOnSocket(socket, parserCodeToError(error.code), error.code ?? error.message, this.#logger),
      );
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
    for (const [socket, { pending }] of this.#connections) {
      for (const response of pending) if (!response.headersSent) response.setHeader('Connection', 'close');
      if (pending.size === 0) socket.destroy();
    }
    const late = setTimeout(() => this.#refuseIncomplete(), REST_MS);
    await closed;
    clearTimeout(late);
  }

  #refuseIncomplete(): void {
    for (const [socket, { pending }] of this.#connections)
      for (const response of pending) {
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

const notAProxy = (): CodedInvalidError =>
  new CodedInvalidError('svc_malformed_request', 'This service is not a proxy, so CONNECT is not supported.');
