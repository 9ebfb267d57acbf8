import type { Socket } from 'node:net';
import { dial, type Dial } from './dial.ts';
import { OutboundError, type OutboundFault } from './outbound.ts';
import { startTimeout } from './timeout.ts';

export interface TcpQuery extends Dial {
  text: string;
  maxBytes: number;
}

export async function queryTcp(query: TcpQuery): Promise<Buffer> {
  const socket = await dial(query);
  return sendAndReadAll(socket, query);
}

function sendAndReadAll(socket: Socket, { text, maxBytes, startedAt, endsAt, signal }: TcpQuery): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let received = 0;
    const settle = (): void => {
      cancelTimeout();
      signal?.removeEventListener('abort', onAbort);
      socket.removeAllListeners('data').destroy();
    };
    const fail = (fault: OutboundFault, message: string, cause?: Error): void => {
      settle();
      reject(new OutboundError(fault, message, true, performance.now() - startedAt, { cause }));
    };
    const onAbort = (): void => fail('aborted', 'The call was aborted.');
    const cancelTimeout = startTimeout(endsAt, () => fail('timeout', 'The host did not answer in time.'));
    signal?.addEventListener('abort', onAbort, { once: true });
    socket.on('error', (error) => fail('reset', 'The connection was interrupted.', error));
    socket.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received > maxBytes) fail('body_too_large', 'The response is larger than allowed.');
      else chunks.push(chunk);
    });
    socket.on('end', () => {
      settle();
      resolve(Buffer.concat(chunks, received));
    });
    socket.on('close', () => fail('reset', 'The connection was interrupted.'));
    if (signal?.aborted) onAbort();
    else socket.write(text);
  });
}
