import { Agent as HttpAgent, type AgentOptions, type ClientRequest } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Duplex } from 'node:stream';

/** Below the five seconds after which common servers hang up, so that a call seldom meets a socket that just closed. */
const IDLE_MS = 3_000;
/** A fleet has thousands of origins: idle sockets are bounded over all of them, the oldest goes first. */
const MAX_IDLE = 256;

const OPTIONS: AgentOptions = {
  keepAlive: true,
  maxSockets: Infinity,
  maxFreeSockets: 4,
  scheduling: 'lifo',
  timeout: IDLE_MS,
};

/** Which sockets lie idle, over all agents of one outbound. */
export class IdleSockets {
  readonly #idle = new Set<Duplex>();
  readonly #known = new WeakSet<Duplex>();
  readonly #max: number;

  constructor(max = MAX_IDLE) {
    this.#max = max;
  }

  add(socket: Duplex): void {
    this.#idle.add(socket);
    if (!this.#known.has(socket)) {
      this.#known.add(socket);
      socket.once('close', () => this.#idle.delete(socket));
    }
    if (this.#idle.size <= this.#max) return;
    const [oldest] = this.#idle;
    if (oldest) {
      this.#idle.delete(oldest);
      oldest.destroy();
    }
  }

  remove(socket: Duplex): void {
    this.#idle.delete(socket);
  }

  get size(): number {
    return this.#idle.size;
  }
}

export class PlainAgent extends HttpAgent {
  readonly #idle: IdleSockets;
  constructor(idle: IdleSockets) {
    super(OPTIONS);
    this.#idle = idle;
  }
  override keepSocketAlive(socket: Duplex): boolean {
    return keep(this.#idle, socket, super.keepSocketAlive(socket));
  }
  override reuseSocket(socket: Duplex, request: ClientRequest): void {
    this.#idle.remove(socket);
    super.reuseSocket(socket, request);
  }
}

export class TlsAgent extends HttpsAgent {
  readonly #idle: IdleSockets;
  constructor(idle: IdleSockets) {
    super({ ...OPTIONS, maxCachedSessions: 500 });
    this.#idle = idle;
  }
  override keepSocketAlive(socket: Duplex): boolean {
    return keep(this.#idle, socket, super.keepSocketAlive(socket));
  }
  override reuseSocket(socket: Duplex, request: ClientRequest): void {
    this.#idle.remove(socket);
    super.reuseSocket(socket, request);
  }
}

/** Each request over a connection of its own, with a whole handshake. */
export const singleUseAgents = (): { http: HttpAgent; https: HttpsAgent } => ({
  http: new HttpAgent({ keepAlive: false }),
  https: new HttpsAgent({ keepAlive: false, maxCachedSessions: 0 }),
});

/** Node's own method answers whether the socket may be kept, though its type says void. */
function keep(idle: IdleSockets, socket: Duplex, kept: unknown): boolean {
  if (kept === false) return false;
  idle.add(socket);
  return true;
}
