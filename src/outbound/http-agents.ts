import { Agent as HttpAgent, type AgentOptions, type ClientRequest } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { SecureContext } from 'node:tls';
import type { Duplex } from 'node:stream';

/**
 * Time after which an idle connection is closed. Common servers do that after five seconds, and a connection that a
 * server has closed must not be reused.
 */
const IDLE_MS = 3_000;
/**
 * Limits the idle sockets of all origins together, because a fleet has thousands. The oldest is closed first.
 *
 * A fan-out of 32 concurrent calls of 200 ms each leaves 480 idle sockets within {@link IDLE_MS}. With a lower limit, a
 * round over 500 sites would close each socket just before the next round could reuse it, and open every connection
 * again.
 */
const MAX_IDLE = 512;

const OPTIONS: AgentOptions = {
  keepAlive: true,
  maxSockets: Infinity,
  maxFreeSockets: 4,
  scheduling: 'lifo',
  timeout: IDLE_MS,
};

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

function trackIdleSockets<A extends HttpAgent>(agent: A, idle: IdleSockets): A {
  // Node's method returns whether the socket may be kept alive, although its type says void.
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

export const createHttpAgent = (idle: IdleSockets): HttpAgent => trackIdleSockets(new HttpAgent(OPTIONS), idle);

export const createHttpsAgent = (idle: IdleSockets, secureContext?: SecureContext): HttpsAgent =>
  trackIdleSockets(
    new HttpsAgent({ ...OPTIONS, ...(secureContext && { secureContext }), maxCachedSessions: 500 }),
    idle,
  );

export const createSingleUseAgents = (secureContext?: SecureContext): { http: HttpAgent; https: HttpsAgent } => ({
  http: new HttpAgent({ keepAlive: false }),
  https: new HttpsAgent({ keepAlive: false, ...(secureContext && { secureContext }), maxCachedSessions: 0 }),
});
