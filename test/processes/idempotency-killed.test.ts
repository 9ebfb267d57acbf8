import assert from 'node:assert/strict';
import { ServiceFleet } from '../support/service-fleet.ts';
import { eventually } from '../support/until.ts';

/** Less than the 90 seconds for which such a key was unclear before, and more than a lease on a busy machine. */
const SOON = 45_000;

describe('a service that is killed in a call with an idempotency key', () => {
  let services: ServiceFleet;
  /** The process that answers after the kill: another one if there are two. */
  let next = 0;
  beforeEach(async () => {
    services = await ServiceFleet.start({ sites: 2 });
    next = services.services.length - 1;
  });
  afterEach(() => services.close());

  async function call(index: number, key: string, path: string, body: object = {}) {
    const { url, authorization } = services.services[index] ?? assert.fail();
    const headers = { authorization, 'content-type': 'application/json', 'idempotency-key': key };
    const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    // oxlint-disable-next-line typescript/no-explicit-any
    return { status: response.status, body: (await response.json()) as any };
  }

  /** Kills the process while its call waits for the first site. */
  async function killIn(key: string, path: string, functionName: string, body?: object): Promise<() => number> {
    const [site] = services.fleet.sites;
    assert.ok(site);
    const sent = () => site.requests.filter((request) => request.function === functionName).length;
    const before = sent();
    site.fault = { kind: 'hang' };
    void call(0, key, path, body).catch(() => undefined);
    await eventually(() => sent() > before, 'the call to reach the site');
    await services.kill(0);
    site.fault = null;
    if (next === 0) await services.restart(0);
    return () => sent() - before;
  }

  it('when the operation is not repeatable, then its key is interrupted after the lease, and nothing is sent again', async () => {
    const path = '/api/v2/posts/1/create';
    const body = { post_title: 'Hours', post_content: 'From nine.', post_status: 'draft', post_name: 'hours' };
    const count = await killIn('not-repeatable', path, 'newpost', body);
    await eventually(
      async () => {
        const { status, body: answer } = await call(next, 'not-repeatable', path, body);
        assert.deepEqual([status, answer.code], [409, 'svc_idempotency_in_progress']);
        return answer.data.interrupted === true;
      },
      'the key to be known as interrupted',
      SOON,
    );
    assert.equal(count(), 1);
  });

  it('when the operation is repeatable, then it runs again after the lease', async () => {
    const path = '/abilities/v1/svc/sync-sites-v1/run';
    const body = { input: { site_ids_or_domains: [1] } };
    const count = await killIn('repeatable', path, 'stats', body);
    await eventually(
      async () => (await call(next, 'repeatable', path, body)).status === 200,
      'the sync to run again',
      SOON,
    );
    assert.ok(count() > 1);
  });

  it('when a v2 operation is repeatable, then it runs again after the lease', async () => {
    const path = '/api/v2/sites/1/sync';
    const count = await killIn('repeatable-v2', path, 'stats');
    await eventually(
      async () => (await call(next, 'repeatable-v2', path)).status === 200,
      'the sync to run again',
      SOON,
    );
    assert.ok(count() > 1);
  });
});
