import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createServer as createTlsServer, DEFAULT_CIPHERS, type SecureVersion } from 'node:tls';
import type { IssuedCertificate } from './certificates.ts';
import { until } from './until.ts';

/** A server on the loopback address. */
export interface LocalServer {
  port: number;
  url: string;
  /** Returns the number of connections so far. */
  connections: () => number;
  /** Handshake errors of the server. */
  errors: Error[];
  /** Waits for a connection, and until all have ended. */
  waitForConnection: () => Promise<void>;
  waitUntilIdle: () => Promise<void>;
  close: () => Promise<void>;
}

/** A TLS server that can change its certificate, as a renewal does. */
export interface TlsServer extends LocalServer {
  setCertificate: (issued: Pick<IssuedCertificate, 'cert' | 'key'>) => void;
}

const SPEAKS_ALL = { minVersion: 'TLSv1', ciphers: `${DEFAULT_CIPHERS}:@SECLEVEL=0` } as const;

export async function serveTls(
  issued: Pick<IssuedCertificate, 'cert' | 'key'>,
  { maxVersion = 'TLSv1.3' }: { maxVersion?: SecureVersion } = {},
): Promise<TlsServer> {
  const optionsOf = ({ cert, key }: Pick<IssuedCertificate, 'cert' | 'key'>) => ({
    cert,
    key,
    maxVersion,
    ...SPEAKS_ALL,
  });
  const server = createTlsServer(optionsOf(issued));
  return { ...(await listening(server)), setCertificate: (next) => server.setSecureContext(optionsOf(next)) };
}

/** Starts a server that passes each connection to a function. */
export const serveRaw = (onConnection: (socket: Socket) => void): Promise<LocalServer> =>
  listening(
    createServer((socket) => {
      onConnection(socket);
      // Without this, the server would not notice the end of a connection.
      socket.resume();
    }),
  );

async function listening(server: ReturnType<typeof createServer>): Promise<LocalServer> {
  const sockets = new Set<Socket>();
  const errors: Error[] = [];
  let connections = 0;
  server.on('tlsClientError', (error: Error) => errors.push(error));
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `https://127.0.0.1:${port}/`,
    connections: () => connections,
    errors,
    waitForConnection: () => until(async () => connections > 0, 'a connection'),
    waitUntilIdle: () => until(async () => sockets.size === 0, 'the connections to end'),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}

/** Start of a TLS handshake record that announces 16,383 bytes. */
const BEGINNING = Buffer.from([0x16, 3, 3, 0x3f, 0xff]);
const REST = Buffer.alloc(0x3fff, 0);
const CLOSE_ALERT = Buffer.from([0x15, 3, 3, 0, 2, 1, 0]);
const HANDSHAKE_FAILURE = Buffer.from([0x15, 3, 3, 0, 2, 2, 40]);

/** Servers that close without an answer. */
export const CLOSING_SERVERS: ReadonlySet<string> = new Set([
  'resetting',
  'closing at once',
  'closing in a record',
  'closing with a close alert',
]);

/** Hostile servers, by what they do to a connection. */
export const HOSTILE_HANDLERS: Readonly<Record<string, (socket: Socket) => void>> = {
  silent: () => undefined,
  resetting: (socket) => void socket.once('data', () => socket.resetAndDestroy()),
  'closing at once': (socket) => void socket.end(),
  'closing in a record': (socket) => void socket.once('data', () => socket.end(BEGINNING)),
  'closing with a close alert': (socket) => void socket.once('data', () => socket.end(CLOSE_ALERT)),
  refusing: (socket) => void socket.once('data', () => socket.end(HANDSHAKE_FAILURE)),
  'plain HTTP': (socket) => void socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n<html></html>')),
  'endless noise': (socket) => pour(socket, Buffer.alloc(16_384, 0x5a)),
  'endless records of a handshake': (socket) => pour(socket, Buffer.concat([BEGINNING, REST])),
  'drop by drop': (socket) => {
    socket.write(BEGINNING);
    const timer = setInterval(() => socket.write(REST.subarray(0, 1)), 20);
    socket.on('close', () => clearInterval(timer));
  },
};

/** Writes until the other side closes. */
function pour(socket: Socket, chunk: Buffer): void {
  const go = (): void => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on('drain', go);
  socket.once('data', go);
}
