import { createServer, IncomingMessage, ServerResponse, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { StoppingError } from '../shared/errors.ts';
import type { Logger } from '../shared/logger.ts';
import { Connection } from './connection.ts';
import { latePrototype } from './late-prototype.ts';
import { refuseEarly } from './refuse-early.ts';
import { useOriginForm } from './request-target.ts';

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
  readonly #connections = new Map<Duplex, Connection>();
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
      this.#connections.get(request.socket)?.track(response);
      if (this.#draining) return refuseEarly(response, stopping(), logger);
      useOriginForm(request);
      return this.#listener(request, response);
    };
    this.server = createServer(options, listener);
    // An unknown expectation may be ignored (RFC 9110, 10.1.1). Node would refuse it with an empty response.
    this.server.on('checkExpectation', listener);
    this.server.on('connection', (socket) => this.#open(socket));
    this.server.on('clientError', (error, socket) => this.#connections.get(socket)?.refuseUnreadable(error));
    this.server.on('connect', (_request, socket) => this.#connections.get(socket)?.refuseTunnel());
  }

  #open(socket: Socket): void {
    const connection = new Connection(socket, this.#logger);
    this.#connections.set(socket, connection);
    socket.on('close', () => {
      this.#connections.delete(socket);
      connection.end();
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
    for (const connection of this.#connections.values()) connection.drain();
    const late = setTimeout(() => {
      for (const connection of this.#connections.values()) connection.refuseIncomplete(stopping());
    }, REST_MS);
    await closed;
    clearTimeout(late);
  }
}

function stopping(): StoppingError {
  const message = 'The service is stopping and did not run the call. Send it again.';
  return new StoppingError('svc_stopping', message, { retry_after_seconds: 1 });
}
