import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { IdleSockets } from '../../src/outbound/agents.ts';

describe('idle sockets', () => {
  it('when many are kept over all origins, then the oldest is closed first, and closed ones are gone', async () => {
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
});
