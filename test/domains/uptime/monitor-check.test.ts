import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { MonitorCheck, type MonitorTask } from '../../../src/domains/uptime/monitor-check.ts';
import { OutboundError } from '../../../src/outbound/outbound.ts';

const LOOKUP_MS = 60;

const unused = (): never => assert.fail('A host that was not resolved is not called.');

describe('times of a monitor check', () => {
  it('when the lookup of the host fails, then its time is the DNS time and the total', async () => {
    const check = new MonitorCheck({
      outbound: {
        resolve: async () => {
          await sleep(LOOKUP_MS);
          throw new OutboundError('dns', 'The host name could not be resolved.', false, LOOKUP_MS);
        },
        request: unused,
        connect: unused,
      },
      limit: unused,
      timeoutMs: () => 10_000,
      beforeConfirmation: async () => undefined,
    });
    const task = {
      target: { url: 'https://gone.example.net/' },
      settings: { confirmation: false },
      state: 'up',
    } as unknown as MonitorTask;
    const [attempt] = await check.run(task);
    assert.equal(attempt.finding, 'dns');
    // A timer can end one millisecond early.
    assert.ok(Number(attempt.dnsMs) >= LOOKUP_MS - 1, `${attempt.dnsMs} ms`);
    assert.ok(attempt.totalMs >= Number(attempt.dnsMs), `${attempt.totalMs} ms`);
  });
});
