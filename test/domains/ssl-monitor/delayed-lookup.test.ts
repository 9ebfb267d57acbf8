import assert from 'node:assert/strict';
import { sslCheckJob } from '../../../src/domains/ssl-monitor/ssl-check.job.ts';
import { LookupDelayedError } from '../../../src/domains/ssl-monitor/ssl-check.ts';
import type { CheckOptions } from '../../../src/domains/ssl-monitor/ssl-monitor-service.ts';
import { OutboundError } from '../../../src/outbound/index.ts';
import { PostponedItem, type Attempt } from '../../../src/queue/index.ts';

const NOW = Date.parse('2026-11-22T08:00:00Z');

describe('certificate check of a job whose lookup is delayed', () => {
  const waits: (number | undefined)[] = [];
  const check = async (_id: number, { lookupWaitMs }: CheckOptions = {}): Promise<never> => {
    waits.push(lookupWaitMs);
    throw new LookupDelayedError(new OutboundError('dns', 'So.', false, 30_000));
  };
  const job = sslCheckJob({ check }, { now: () => NOW });
  const perform = (attempt: number) =>
    job.perform({
      item: { siteId: 1, identifier: '1', attempt, input: {} },
      resumed: attempt > 1,
      signal: new AbortController().signal,
    } as unknown as Attempt);

  it('when another attempt is left, then the item is put off for two minutes', async () => {
    for (const attempt of [1, 2, 3]) {
      const result = await perform(attempt);
      assert.ok(result instanceof PostponedItem);
      assert.equal(result.at, NOW + 120_000);
    }
    assert.deepEqual(waits, [30_000, 30_000, 30_000]);
  });

  it('when the fourth attempt is delayed too, then the item fails', async () => {
    await assert.rejects(perform(4), LookupDelayedError);
  });
});
