import type { ServerResponse } from 'node:http';
import { TLSSocket } from 'node:tls';

/** Ends the connection of a response without an answer. A TLS connection cannot be reset and is closed instead. */
export function resetConnection({ socket }: ServerResponse): void {
  if (socket instanceof TLSSocket) socket.destroy();
  else socket?.resetAndDestroy();
}
