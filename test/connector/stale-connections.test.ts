import assert from 'node:assert/strict';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createKeyPairSource } from '../../src/connector/index.ts';
import { ChildUnreachableError } from '../../src/shared/child-call-errors.ts';
import { toFrame } from '../support/frames.ts';
import { createLink, makeConnector, thrownBy } from './support.ts';

/** Answers one request and keeps the connection open, then accepts nothing more and resets what is sent to it. */
async function startVanishingServer(): Promise<{ url: string; vanish: () => Promise<void> }> {
  const sockets = new Set<Socket>();
  const body = toFrame({ data: [] });
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      if (!server.listening) socket.resetAndDestroy();
      else if (chunk.includes('mainwpsignature'))
        socket.write(`HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    vanish: async () => {
      server.close();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

describe('connections that a site no longer serves', () => {
  it('when a site is gone since its last call, then a changing call was not sent', async () => {
    const connector = makeConnector();
    const site = await startVanishingServer();
    try {
      const link = createLink(site.url, await createKeyPairSource(1).next());
      assert.equal(await connector.child.verifyKey(link), true);
      await site.vanish();
      const error = await thrownBy(() => connector.child.upgradeCore(link));
      assert.ok(error instanceof ChildUnreachableError);
      assert.deepEqual(error.data, { layer: 'connect', outcome: 'not_run' });
    } finally {
      await connector.close();
    }
  });
});
