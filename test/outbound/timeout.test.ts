import assert from 'node:assert/strict';
import { once } from 'node:events';
import { stat } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createOutbound, type Outbound } from '../../src/outbound/index.ts';
import { startTimeout } from '../../src/outbound/timeout.ts';
import { startFakeServer } from '../connector/support.ts';
import { blockEventLoop } from '../support/blocked-event-loop.ts';
import { issueCertificate } from '../support/certificates.ts';
import { until } from '../support/until.ts';

describe('timeouts of outgoing calls', () => {
  const startIn = (ms: number, expired: () => void) => startTimeout(performance.now() + ms, expired);

  it('when the time is over, then it is reported once, and not before', async () => {
    const startedAt = performance.now();
    const reports: number[] = [];
    startIn(100, () => reports.push(performance.now() - startedAt));
    await until(async () => reports.length > 0, 'the report');
    // Node counts from the begin of the turn.
    assert.ok(Number(reports[0]) >= 50, `${reports[0]} ms`);
    await sleep(300);
    assert.equal(reports.length, 1);
  });

  it('when it is cancelled, then nothing is reported, also while the process handles what has arrived', async () => {
    const reports: string[] = [];
    startIn(50, () => reports.push('cancelled at once'))();
    const cancel = startIn(50, () => reports.push('cancelled by an answer'));
    stat('.', () => cancel());
    blockEventLoop(200);
    await sleep(100);
    assert.deepEqual(reports, []);
  });

  it('when the process stands still for a second longer than the time, then the time is added once', async () => {
    let isOver = false;
    startIn(400, () => (isOver = true));
    blockEventLoop(1_450);
    // Node runs this timer before one of 400 ms, also if the process is late again.
    await sleep(200);
    assert.equal(isOver, false);
    blockEventLoop(1_500);
    await until(async () => isOver, 'the report');
  });

  describe('while a connection opens', () => {
    let outbound: Outbound;
    before(() => {
      outbound = createOutbound({ allowedNetworks: ['127.0.0.0/8'] });
    });
    after(() => outbound.close());

    const CONNECT_TIMEOUT_MS = 2_000;

    /** Blocks the process as soon as the connection has been requested and its timeout runs. */
    async function requestAcrossStall(url: string, stallMs: number): Promise<{ text: string; stalls: number }> {
      let stalls = 0;
      const original = globalThis.setTimeout;
      const replaced = (then: () => void, ms: number): NodeJS.Timeout => {
        if (stalls === 0 && ms > CONNECT_TIMEOUT_MS - 10 && ms <= CONNECT_TIMEOUT_MS) {
          stalls += 1;
          process.nextTick(() => blockEventLoop(stallMs));
        }
        return original(then, ms);
      };
      globalThis.setTimeout = Object.assign(replaced, original);
      try {
        const limits = { connectTimeoutMs: CONNECT_TIMEOUT_MS, deadlineMs: 60_000, maxBytes: 1_000 };
        const { body } = await outbound.request({ url, method: 'GET', verifyTls: false, ...limits });
        return { text: body.toString(), stalls };
      } finally {
        globalThis.setTimeout = original;
      }
    }

    it('when the process stands still meanwhile, then the site does not count as unreachable', async () => {
      const server = await startFakeServer((_, response) => response.end('here'));
      assert.deepEqual(await requestAcrossStall(server.url, 2_300), { text: 'here', stalls: 1 });
      await server.close();
    });

    it('when it must still shake hands, then it gets the time for it', async () => {
      const server = createServer(await issueCertificate(), (_, response) => response.end('here'));
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      assert.deepEqual(await requestAcrossStall(url, 4_000), { text: 'here', stalls: 1 });
      server.close();
    });
  });
});
