import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get, type Agent, type AgentOptions, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { IdleSockets, createHttpAgent } from '../../src/outbound/http-agents.ts';
import { until } from '../support/until.ts';

describe('idle sockets', () => {
  it('when there are more idle sockets than the limit, then the oldest is closed and closed ones are removed', async () => {
    const idle = new IdleSockets(2);
    const sockets = [new PassThrough(), new PassThrough(), new PassThrough()] as const;
    for (const socket of sockets) idle.add(socket);
    assert.equal(idle.size, 2);
    assert.deepEqual(
      sockets.map(({ destroyed }) => destroyed),
      [true, false, false],
    );
    idle.remove(sockets[1]);
    assert.equal(idle.size, 1);
    idle.add(sockets[1]);
    sockets[2].destroy();
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(idle.size, 1);
    assert.equal(sockets[1].destroyed, false);
  });

  it('when an idle socket is used again, then it is not idle until its call ends', async () => {
    const idle = new IdleSockets();
    const agent = createHttpAgent(idle) as Agent & { options: AgentOptions };
    // On a busy machine, the test can take longer than the idle timeout.
    agent.options.timeout = 60_000;
    const calls: ServerResponse[] = [];
    const server = createServer((_request, response) => void calls.push(response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    try {
      for (const number of [1, 2]) {
        const call = get({ port, host: '127.0.0.1', agent });
        await until(() => calls.length === number, 'the call');
        assert.deepEqual([call.reusedSocket, idle.size], [number === 2, 0]);
        calls.at(-1)?.end();
        const [answer] = (await once(call, 'response')) as [IncomingMessage];
        answer.resume();
        await until(() => idle.size === 1, 'the end of the call');
      }
    } finally {
      agent.destroy();
      server.closeAllConnections();
      server.close();
    }
  });
});
