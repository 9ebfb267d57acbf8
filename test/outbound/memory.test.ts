import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createOutbound, type Outbound } from '../../src/outbound/index.ts';
import { startFleet } from '../../src/sandbox/index.ts';
import { startFakeServer } from '../connector/support.ts';

describe('memory of outbound responses', () => {
  /** Requests a page without keeping its response. */
  async function bodyOf(outbound: Outbound, url: string): Promise<WeakRef<ArrayBufferLike>> {
    const limits = { connectTimeoutMs: 10_000, deadlineMs: 10_000, maxBytes: 100_000 };
    const { body } = await outbound.request({ method: 'GET', url, ...limits });
    assert.ok(body.length > 0);
    return new WeakRef(body.buffer);
  }

  it('when the caller is done with a response, then its memory is freed while the socket is kept alive', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const fleet = await startFleet({ sites: 1, tls: true });
    const server = await startFakeServer((_seen, response) => void response.end(Buffer.alloc(90_000, 'x')));
    const outbound = createOutbound({
      allowedNetworks: ['127.0.0.0/8'],
      certificateAuthorities: [fleet.certificate ?? ''],
    });
    for (const url of [server.url, fleet.sites[0]?.url ?? '']) {
      const body = await bodyOf(outbound, url);
      // An idle socket is closed after three seconds, which would free its memory too.
      const endsAt = performance.now() + 2_000;
      do {
        await sleep(20);
        collect();
      } while (body.deref() !== undefined && performance.now() < endsAt);
      assert.ok(body.deref() === undefined, url);
    }
    await Promise.all([outbound.close(), server.close(), fleet.close()]);
  });
});
