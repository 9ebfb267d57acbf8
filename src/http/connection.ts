import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { CodedInvalidError, type DomainError } from '../shared/errors.ts';
import type { Logger } from '../shared/logger.ts';
import { refuseEarly } from './refuse-early.ts';
import { parserCodeToError, refuseOnSocket } from './unreadable-requests.ts';

/** An open connection of a caller. It can have several requests whose responses are not sent yet. */
export class Connection {
  /** Responses that are not sent yet, in the order of their requests. */
  readonly #pending = new Set<ServerResponse>();
  readonly #socket: Socket;
  readonly #logger: Logger;
  /** Response to the request whose body may still arrive. */
  #arriving: ServerResponse | null = null;
  #isUnreadable = false;
  #isDraining = false;
  #onIdle: (() => void) | null = null;

  constructor(socket: Socket, logger: Logger) {
    this.#socket = socket;
    this.#logger = logger;
  }

  track(response: ServerResponse): void {
    this.#pending.add(response);
    this.#arriving = response;
    response.on('close', () => {
      this.#pending.delete(response);
      // Otherwise, an idle connection would keep the last request in memory.
      if (this.#arriving === response && response.req.complete) this.#arriving = null;
      // If the header of the response was sent before the drain, it announced keep-alive, so the client would not close
      // the connection.
      if (this.#isDraining) this.#socket.destroySoon();
      if (this.#pending.size === 0) this.#onIdle?.();
    });
  }

  /**
   * Call this when the HTTP parser fails. Sends an error for the unreadable request after the responses to the requests
   * before it, and closes the connection.
   */
  refuseUnreadable(error: NodeJS.ErrnoException): void {
    if (error.code === 'ECONNRESET') return void this.#socket.destroy();
    // Each further part of an unreadable request is an error of its own.
    if (this.#isUnreadable) return;
    this.#isUnreadable = true;
    const refusal = parserCodeToError(error.code);
    const response = this.#arriving;
    if (!response || response.req.complete)
      this.#whenIdle(() => refuseOnSocket(this.#socket, refusal, error.code ?? error.message, this.#logger));
    // The application has refused the request before its body was complete.
    else if (response.headersSent) this.#whenIdle(() => this.#socket.destroySoon());
    else {
      // Otherwise, the reader of the body would wait for ever: Node does not abort a request that has its response.
      response.once('close', () => response.req.destroy(error));
      refuseEarly(response, refusal, this.#logger);
    }
  }

  /** Refuses a request with the method CONNECT, for which Node hands over the socket. */
  refuseTunnel(): void {
    // Node has removed its listeners. Without one, an error would end the process.
    this.#socket.on('error', () => this.#socket.destroy());
    const refusal = new CodedInvalidError(
      'svc_malformed_request',
      'This service is not a proxy, so CONNECT is not supported.',
    );
    this.#whenIdle(() => refuseOnSocket(this.#socket, refusal, 'CONNECT', this.#logger));
  }

  /** Closes the connection after the pending responses, which announce it. */
  drain(): void {
    this.#isDraining = true;
    for (const response of this.#pending) if (!response.headersSent) response.setHeader('Connection', 'close');
    if (this.#pending.size === 0) this.#socket.destroy();
  }

  /**
   * Responds with the error to each request of which a part of the body is still missing. A request whose response has
   * begun loses the connection instead.
   */
  refuseIncomplete(error: DomainError): void {
    for (const response of this.#pending) {
      if (response.req.complete) continue;
      if (response.headersSent) this.#socket.destroy();
      else refuseEarly(response, error, this.#logger);
    }
  }

  /** Call this when the socket is closed. */
  end(): void {
    // A response that waits for an earlier one has no socket yet. Node emits its event in this turn of the event loop,
    // but Node 20 and 22 emit none.
    setImmediate(() => {
      for (const response of [...this.#pending]) if (!response.socket) response.destroy().emit('close');
    });
  }

  #whenIdle(then: () => void): void {
    if (this.#pending.size === 0) then();
    else this.#onIdle = then;
  }
}
