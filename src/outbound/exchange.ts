import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { Got } from 'got';
import {
  OutboundError,
  RequestWithheldError,
  type ConnectionTimings,
  type OutboundResponse,
  type OutboundFault,
  type OutboundMethod,
} from './outbound.ts';
import type { ResolvedAddress } from './resolver.ts';
import { startTimeout } from './timeout.ts';

export interface Exchange {
  url: URL;
  method: OutboundMethod;
  headers: Record<string, string>;
  body: string | Buffer | undefined;
  address: ResolvedAddress;
  connectTimeoutMs: number;
  startedAt: number;
  endsAt: number;
  maxBytes: number;
  bodyTo: Writable | undefined;
  observation: ConnectionTimings | undefined;
  maySend: (() => boolean) | undefined;
  signal: AbortSignal | undefined;
}

type LookupCallback = (
  error: Error | null,
  address: string | { address: string; family: number }[],
  family?: number,
) => void;

/** Without a listener, a late error of a request that has ended would end the process. */
const ignore = (): void => undefined;

const bodiless = (status: number, method: string): boolean =>
  method === 'HEAD' || status === 204 || status === 304 || (status >= 300 && status < 400);

/**
 * Returns a lookup that always gives the checked address. It is created outside of `exchange`, because a kept-alive
 * socket keeps a reference to it. A closure inside `exchange` would hold the whole response in memory while the socket
 * is idle.
 */
function fixedLookup(address: ResolvedAddress) {
  return (_host: string, options: { all?: boolean }, done: LookupCallback): void => {
    if (options.all) done(null, [address]);
    else done(null, address.address, address.family);
  };
}

class RequestTimings {
  readonly #observation: ConnectionTimings | undefined;
  #since = performance.now();

  constructor(observation: ConnectionTimings | undefined, address: string) {
    this.#observation = observation;
    if (observation) observation.address = address;
  }

  end(lap: 'connectMs' | 'tlsMs' | 'firstByteMs'): void {
    const now = performance.now();
    if (this.#observation) this.#observation[lap] = (this.#observation[lap] ?? 0) + now - this.#since;
    this.#since = now;
  }
}

export function exchange(got: Got, wanted: Exchange): Promise<OutboundResponse> {
  const { url, method, address, startedAt } = wanted;
  return new Promise<OutboundResponse>((resolve, reject) => {
    const chunks: Buffer[] = [];
    let received = 0;
    let phase: 'connect' | 'tls' | 'sent' = 'connect';
    let answer: IncomingMessage | undefined;
    let settled = false;
    let cancelConnectTimeout = (): void => undefined;
    const laps = new RequestTimings(wanted.observation, address.address);

    const stream = got.stream(url, {
      method,
      headers: wanted.headers,
      // If the method allows a body and none is given, got waits for data to be piped in.
      ...(method === 'GET' || method === 'HEAD' ? {} : { body: wanted.body ?? '' }),
      dnsLookup: fixedLookup(address),
    });

    const onAbort = (): void => fail('aborted', 'The call was aborted.');
    const cancelDeadline = startTimeout(wanted.endsAt, () => fail('timeout', 'The host did not answer in time.'));

    function settle(): boolean {
      if (settled) return false;
      settled = true;
      cancelDeadline();
      cancelConnectTimeout();
      wanted.signal?.removeEventListener('abort', onAbort);
      release();
      return true;
    }

    /** From version 22 on, Node keeps the request of a TLS socket that is idle, and with it these listeners. */
    function release(): void {
      stream.off('request', onRequest).off('response', onResponse).off('data', onData).off('end', onEnd);
      stream.on('error', ignore).off('error', onError).off('close', onClose);
    }

    function fail(fault: OutboundFault, message: string, cause?: unknown): void {
      if (!settle()) return;
      stream.destroy();
      reject(
        new OutboundError(fault, message, phase === 'sent', performance.now() - startedAt, {
          cause,
          status: answer?.statusCode,
        }),
      );
    }

    /**
     * Destroys the socket if `maySend` returns false. Node writes the request only after the listeners of `connect` and
     * `secureConnect`, and never to a destroyed socket, so nothing is sent.
     */
    function withholdIfLate(socket: Socket): void {
      if (wanted.maySend?.() !== false || !settle()) return;
      socket.destroy();
      stream.destroy();
      reject(new RequestWithheldError('The request was not sent, because its time had passed.'));
    }

    function watch(socket: Socket): void {
      if (!socket.connecting) {
        withholdIfLate(socket);
        phase = 'sent';
        return;
      }
      const last = url.protocol === 'https:' ? 'secureConnect' : 'connect';
      for (const event of new Set(['connect', last])) socket.once(event, () => withholdIfLate(socket));
      const connectedBy = performance.now() + wanted.connectTimeoutMs;
      cancelConnectTimeout = startTimeout(connectedBy, () => fail('timeout', 'The connection timed out.'));
      socket.once('connect', () => laps.end('connectMs'));
      const established = (): void => {
        cancelConnectTimeout();
        phase = 'sent';
      };
      if (url.protocol === 'https:') {
        socket.once('connect', () => (phase = 'tls'));
        (socket as TLSSocket).once('secureConnect', () => {
          laps.end('tlsMs');
          established();
        });
      } else {
        socket.once('connect', established);
      }
    }

    function take(chunk: Buffer): void {
      const { bodyTo } = wanted;
      if (!bodyTo) chunks.push(chunk);
      else if (answer?.statusCode === 200 && !bodyTo.write(chunk)) {
        stream.pause();
        bodyTo.once('drain', () => stream.resume());
      }
    }

    wanted.bodyTo?.once('error', (error) => fail('reset', 'The response could not be stored.', error));
    if (wanted.signal?.aborted) onAbort();
    wanted.signal?.addEventListener('abort', onAbort, { once: true });

    function onRequest(request: ClientRequest): void {
      if (request.socket) watch(request.socket);
      else request.once('socket', watch);
    }

    function onResponse(response: IncomingMessage): void {
      answer = response;
      laps.end('firstByteMs');
      const { headers, statusCode = 0 } = response;
      if (bodiless(statusCode, method)) return;
      const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
      if (!['', 'identity', 'none'].includes(encoding)) {
        fail('bad_encoding', 'The host sent a compressed response that was not requested.');
      } else if (Number(headers['content-length']) > wanted.maxBytes) {
        fail('body_too_large', 'The response is larger than allowed.');
      }
    }

    function onData(chunk: Buffer): void {
      received += chunk.length;
      if (received > wanted.maxBytes) fail('body_too_large', 'The response is larger than allowed.');
      else if (!settled) take(chunk);
    }

    function onEnd(): void {
      if (!settle()) return;
      resolve({
        status: answer?.statusCode ?? 0,
        headers: answer?.headers ?? {},
        body: chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks),
        url: url.href,
        elapsedMs: performance.now() - startedAt,
      });
    }

    function onError(error: Error & { code?: string }): void {
      const { fault, message } = classifyTransportError(phase, error);
      fail(fault, message, bareCause(error));
    }

    function onClose(): void {
      fail('reset', 'The connection was interrupted.');
    }

    stream.on('request', onRequest).on('response', onResponse).on('data', onData).on('end', onEnd);
    stream.on('error', onError).on('close', onClose);
  });
}

/** Returns an error with only the code and the message of an error of got, which itself contains the whole request. */
function bareCause({ code, message }: { code?: string; message: string }): Error {
  return Object.assign(new Error(message), { code });
}

const TLS_CODE =
  /^(ERR_TLS|ERR_SSL|EPROTO$|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|ERR_OSSL)/;

function classifyTransportError(
  phase: 'connect' | 'tls' | 'sent',
  error: { code?: string },
): { fault: OutboundFault; message: string } {
  if (phase === 'tls' || TLS_CODE.test(error.code ?? '')) {
    return { fault: 'tls', message: 'The TLS handshake failed or the certificate is not trusted.' };
  }
  if (phase === 'connect') return { fault: 'connect', message: 'The connection could not be opened.' };
  return { fault: 'reset', message: 'The connection was interrupted.' };
}
