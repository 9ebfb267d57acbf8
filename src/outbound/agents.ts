import { Agent as HttpAgent, type AgentOptions, type ClientRequest } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Duplex } from 'node:stream';

/** Below the five seconds after which common servers hang up, so that a call seldom meets a socket that just closed. */
const IDLE_MS = 3_000;
/**
 * A fleet has thousands of origins: idle sockets are bounded over all of them, the oldest goes first.
 *
 * The 32 calls of a fan-out, at 200 ms each, leave 480 sockets in {@link IDLE_MS}. With room for fewer, a round over
 * 500 sites closes each socket just before the next round would take it, and opens every connection again.
 */
const MAX_IDLE = 512;

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

/** Agents of both protocols tell when a socket falls idle, and when it is taken again. */
function tellingIdle<A extends HttpAgent>(agent: A, idle: IdleSockets): A {
  // Node's own method answers whether the socket may be kept, though its type says void.
  const mayKeep: (socket: Duplex) => unknown = agent.keepSocketAlive.bind(agent);
  const reuse = agent.reuseSocket.bind(agent);
  return Object.assign(agent, {
    keepSocketAlive(socket: Duplex): boolean {
      if (mayKeep(socket) === false) return false;
      idle.add(socket);
      return true;
    },
    reuseSocket(socket: Duplex, request: ClientRequest): void {
      idle.remove(socket);
      reuse(socket, request);
    },
  });
}

export const plainAgent = (idle: IdleSockets): HttpAgent => tellingIdle(new HttpAgent(OPTIONS), idle);

export const tlsAgent = (idle: IdleSockets): HttpsAgent =>
  tellingIdle(new HttpsAgent({ ...OPTIONS, maxCachedSessions: 500 }), idle);

/** Each request over a connection of its own, with a whole handshake. */
export const singleUseAgents = (): { http: HttpAgent; https: HttpsAgent } => ({
  http: new HttpAgent({ keepAlive: false }),
  https: new HttpsAgent({ keepAlive: false, maxCachedSessions: 0 }),
});
