import { connect as tcpConnect, type Socket } from 'node:net';
import { OutboundError, type OutboundFault } from './outbound.ts';
import { startTimeout } from './timeout.ts';

export interface Dial {
  /** IP address that has passed `AddressGuard.check`. */
  address: string;
  port: number;
  /** `startedAt` and `endsAt` are on the scale of `performance.now()`. */
  startedAt: number;
  endsAt: number;
  signal?: AbortSignal | undefined;
}

/** Opens a TCP connection. Throws `OutboundError` with `connect`, `timeout` or `aborted`. */
export function dial({ address, port, startedAt, endsAt, signal }: Dial): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = tcpConnect({ host: address, port });
    const settle = (): void => {
      cancelTimeout();
      signal?.removeEventListener('abort', onAbort);
      socket.removeListener('error', onError);
    };
    const fail = (fault: OutboundFault, message: string, cause?: Error): void => {
      settle();
      // Later errors of the socket are ignored. Without a listener they would end the process.
      socket.on('error', () => undefined).destroy();
      reject(new OutboundError(fault, message, false, performance.now() - startedAt, { cause }));
    };
    const onError = (error: Error): void => fail('connect', 'The connection could not be opened.', error);
    const onAbort = (): void => fail('aborted', 'The call was aborted.');
    const cancelTimeout = startTimeout(endsAt, () => fail('timeout', 'The connection timed out.'));
    socket.once('error', onError);
    socket.once('connect', () => {
      settle();
      resolve(socket);
    });
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted) onAbort();
  });
}
