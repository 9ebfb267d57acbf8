import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ConnectionError, SitefleetError, type JobRead } from '../../src/sdk/index.ts';
import { watchJob, type WaitOptions } from '../../src/sdk/jobs.ts';

const jobThat = (status: string): JobRead =>
  ({
    data: { status, processed: 1, total: 2, completed_at: status === 'completed' ? '2026-11-29T00:00:00Z' : null },
  }) as JobRead;

const LOST = new ConnectionError('The service did not answer.');

/** Errors that callers see while a service restarts behind a proxy. */
const OUTAGE = [LOST, ...[502, 503, 504].map((status) => new SitefleetError(status, null, null))];

describe('waiting for a job while the service restarts', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout', 'Date'] }));
  afterEach(() => mock.timers.reset());

  /** Waits for a job whose requests have these outcomes. The last one is repeated. Returns the seconds that it took. */
  async function secondsOf(outcomes: readonly (JobRead | Error)[], options: WaitOptions = {}): Promise<number> {
    const left = [...outcomes];
    let isEnded = false;
    const look = async (): Promise<JobRead> => {
      const outcome = (left.length > 1 ? left.shift() : left[0]) as JobRead | Error;
      if (outcome instanceof Error) throw outcome;
      return Promise.resolve(outcome);
    };
    const end = watchJob(look, options).finally(() => (isEnded = true));
    end.catch(() => undefined);
    let seconds = 0;
    for (; !isEnded && seconds < 10_000; seconds++) {
      for (let turn = 0; turn < 3; turn++) await nextTurn();
      mock.timers.tick(1_000);
    }
    await end;
    return seconds;
  }

  it('when the service is back within a minute, then the wait continues', async () => {
    await secondsOf([jobThat('processing'), ...OUTAGE, jobThat('processing'), ...OUTAGE, jobThat('completed')]);
  });

  it('when the service is not back after a minute, then its error is thrown', async () => {
    let now = 0;
    await assert.rejects(
      secondsOf([jobThat('processing'), LOST]).catch((error: unknown) => {
        now = Date.now();
        throw error;
      }),
      LOST,
    );
    assert.ok(now >= 60_000 && now < 70_000, String(now));
  });

  it('when there is a timeout, then the service may be away until then', async () => {
    const outage = Array.from({ length: 60 }, () => LOST);
    const timeoutMs = 3_600_000;
    const seconds = await secondsOf([jobThat('processing'), ...outage, jobThat('completed')], { timeoutMs });
    assert.ok(seconds > 200, String(seconds));
    await assert.rejects(secondsOf([jobThat('processing'), LOST], { timeoutMs: 90_000 }), { name: 'TimeoutError' });
  });

  it('when the service has never responded, or refuses the request, then the error is thrown at once', async () => {
    const gone = new SitefleetError(404, { code: 'svc_job_not_found', message: 'No.' }, null);
    await assert.rejects(secondsOf([LOST, jobThat('completed')]), LOST);
    await assert.rejects(secondsOf([jobThat('processing'), gone, jobThat('completed')]), gone);
  });
});
