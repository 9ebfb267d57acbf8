import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export async function openSocket(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

/** Returns everything that a socket receives until the other end closes it. */
export async function received(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(socket, 'close');
  return Buffer.concat(chunks).toString('utf8');
}

export const bodyOf = (answer: string): { code: string; message: string; data: { status: number } } =>
  JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)) as {
    code: string;
    message: string;
    data: { status: number };
  };
