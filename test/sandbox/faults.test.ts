import assert from 'node:assert/strict';
import { gunzipSync } from 'node:zlib';
import { type Fault, type Fleet, type SimulatedSite } from '../../src/sandbox/index.ts';
import {
  callSigned,
  sendSigned,
  requireObject,
  post,
  send,
  signedForm,
  isPendingAfter,
  type ChildResponse,
} from './support/dashboard.ts';
import { withFreshSite } from './support/fresh-site.ts';

describe('fault kind of the sandbox', () => {
  let fleet: Fleet;
  let site: SimulatedSite;

  withFreshSite((fresh) => ({ fleet, site } = fresh));

  const stats = (fault: Fault): Promise<ChildResponse> => {
    site.fault = fault;
    return sendSigned(site, 'stats');
  };

  /** Sends this number of requests in sequence. Returns their results. */
  const fates = async (count: number): Promise<string[]> => {
    const found: string[] = [];
    for (let at = 0; at < count; at++)
      found.push(
        await sendSigned(site, 'stats').then(
          () => 'through',
          () => 'lost',
        ),
      );
    return found;
  };

  it('when the fault is refuse, then the connection is reset without a byte', async () => {
    await assert.rejects(stats({ kind: 'refuse' }), { code: 'ECONNRESET' });
  });

  it('when the fault is hang, then no response comes until the fleet closes', async () => {
    const answer = stats({ kind: 'hang' });
    assert.equal(await isPendingAfter(80, answer), true);
    await Promise.all([assert.rejects(answer), fleet.close()]);
  });

  it('when the fault is hang until a promise, then no response comes until the promise resolves', async () => {
    let release = (): void => undefined;
    const answer = stats({ kind: 'hang', until: new Promise<void>((resolve) => (release = resolve)) });
    assert.equal(await isPendingAfter(80, answer), true);
    release();
    await assert.rejects(answer, { code: 'ECONNRESET' });
  });

  it('when the fault is drip, then the real response comes slowly', async () => {
    const slowly = stats({ kind: 'drip', bytes: 2000, everyMs: 20 });
    // The response has several pieces with a pause before each.
    assert.equal(await isPendingAfter(35, slowly), true);
    assert.ok(requireObject((await slowly).json)['version']);
  });

  it('when the fault is delay, then the real response comes later', async () => {
    const later = stats({ kind: 'delay', ms: 60 });
    assert.equal(await isPendingAfter(50, later), true);
    assert.ok(requireObject((await later).json)['version']);
  });

  it('when the fault is flapping, then the given numbers of requests fail and succeed in turn', async () => {
    site.fault = { kind: 'flapping', lost: 2, through: 1 };
    assert.deepEqual(await fates(6), ['lost', 'lost', 'through', 'lost', 'lost', 'through']);
  });

  it('when the fault is drops, then random requests fail, the same ones for a seed', async () => {
    const dropping = async (seed: number): Promise<string[]> => {
      site.fault = { kind: 'drops', share: 0.5, seed };
      return fates(16);
    };
    const first = await dropping(7);
    assert.deepEqual(await dropping(7), first);
    assert.notDeepEqual(await dropping(8), first);
    assert.deepEqual([...new Set(first)].sort(), ['lost', 'through']);
  });

  for (const status of [301, 302, 303, 307, 308] as const) {
    it(`when the fault is redirect with ${status}, then the response is a redirect`, async () => {
      const answer = await stats({ kind: 'redirect', status, location: 'https://elsewhere.example/' });
      assert.deepEqual([answer.status, answer.headers.location], [status, 'https://elsewhere.example/']);
    });
  }

  it('when the fault is basic, then the response is 401 until the credentials are sent', async () => {
    const refused = await stats({ kind: 'basic', user: 'u', password: 'p' });
    assert.equal(refused.status, 401);
    assert.match(refused.headers['www-authenticate'] ?? '', /^Basic /);
    const headers = { authorization: `Basic ${Buffer.from('u:p').toString('base64')}` };
    assert.ok(requireObject((await post(site, signedForm('stats'), { headers })).json)['version']);
  });

  it('when the fault is challenge, then the response is the page of a firewall', async () => {
    const answer = await stats({ kind: 'challenge' });
    assert.equal(answer.status, 403);
    assert.match(answer.body, /challenge-platform/);
    assert.equal((await stats({ kind: 'challenge', status: 503, body: 'wsidchk' })).body, 'wsidchk');
  });

  it('when the fault is fatal, then the site dies before or after the work', async () => {
    site.fault = { kind: 'fatal', when: 'before' };
    const before = await sendSigned(site, 'plugin_action', { action: 'activate', plugin: 'hello.php' });
    const active = (): boolean | undefined => site.state.plugins.get('hello.php')?.active;
    site.performWpAdminAction({ do: 'deactivate-plugin', plugin: 'hello.php' });
    assert.deepEqual([before.status, before.json, active()], [500, undefined, false]);
    site.fault = { kind: 'fatal', when: 'after' };
    const after = await sendSigned(site, 'plugin_action', { action: 'activate', plugin: 'hello.php' });
    assert.deepEqual([after.status, after.json, active()], [500, undefined, true]);
  });

  it('when the fault is cut, then the connection ends in the middle of the response', async () => {
    await assert.rejects(stats({ kind: 'cut', bytes: 100 }), { code: 'ECONNRESET' });
  });

  it('when the fault is huge, then the given number of bytes precedes the response', async () => {
    const answer = await stats({ kind: 'huge', bytes: 3_000_000 });
    assert.ok(answer.body.length > 3_000_000);
    assert.ok(requireObject(answer.json)['version']);
  });

  it('when the fault is invalid-base64, invalid-json or scalar, then the frame contains that', async () => {
    const spoilt = await stats({ kind: 'invalid-base64' });
    assert.match(spoilt.body, /<mainwp>@@/);
    assert.equal(spoilt.json, undefined);
    const broken = await stats({ kind: 'invalid-json' });
    assert.match(broken.body, /<mainwp>[A-Za-z0-9+/=]+<\/mainwp>/);
    assert.equal(broken.json, undefined);
    assert.equal((await stats({ kind: 'scalar', value: null })).json, null);
  });

  it('when the fault is two-frames, then a forged frame precedes the real one, and with forged it is the only one', async () => {
    const answer = await stats({ kind: 'two-frames', forged: { version: 'forged' } });
    assert.equal(answer.body.split('<mainwp>').length, 3);
    assert.equal(requireObject(answer.json)['version'], '6.1');
    const first = /<mainwp>(.*?)<\/mainwp>/.exec(answer.body)?.[1] ?? '';
    assert.equal(Buffer.from(first, 'base64').toString(), '{"version":"forged"}');
    assert.deepEqual((await stats({ kind: 'forged', answer: ['x'] })).json, ['x']);
  });

  it('when the fault is gzip, then the response is compressed without a request for it', async () => {
    const answer = await stats({ kind: 'gzip' });
    assert.equal(answer.headers['content-encoding'], 'gzip');
    assert.match(gunzipSync(Buffer.from(answer.body, 'latin1')).toString(), /^<mainwp>/);
  });

  it('when the fault is noise or raw, then the text precedes or replaces the response', async () => {
    assert.match((await stats({ kind: 'noise', text: '<b>Notice</b>' })).body, /^<b>Notice<\/b><mainwp>/);
    const raw = await stats({ kind: 'raw', status: 429, body: 'slow down', headers: { 'retry-after': '9' } });
    assert.deepEqual([raw.status, raw.body, raw.headers['retry-after']], [429, 'slow down', '9']);
  });

  it('when a fault is limited to a function and a number, then only those requests fail, and queued faults come first', async () => {
    site.fault = { kind: 'raw', status: 418, body: '', function: 'security', times: 2 };
    site.faultQueue.push({ kind: 'raw', status: 420, body: '' }, { kind: 'raw', status: 421, body: '', times: 2 });
    const statuses: number[] = [];
    for (const name of ['security', 'stats', 'security', 'stats', 'security', 'security', 'security']) {
      statuses.push((await sendSigned(site, name)).status);
    }
    assert.deepEqual(statuses, [420, 421, 421, 200, 418, 418, 200]);
  });

  it('when the function of a fault is GET, then only page views fail, and without a function every request fails', async () => {
    const visit = async (): Promise<number> => (await send(site.url, '', { method: 'GET', path: '/' })).status;
    site.fault = { kind: 'raw', status: 503, body: '', function: 'GET' };
    assert.equal(await visit(), 503);
    assert.equal((await sendSigned(site, 'stats')).status, 200);
    site.fault = { kind: 'raw', status: 502, body: '' };
    assert.equal(await visit(), 502);
    site.fault = null;
    assert.equal(await visit(), 200);
  });

  it('when the child is old or its key was lost or replaced, then its responses show that', async () => {
    site.setChildVersion('3.9');
    assert.equal((await callSigned(site, 'stats'))['version'], '3.9');
    site.replaceKey('another');
    assert.match(String((await callSigned(site, 'stats'))['error']), /^Authentication failed/);
    site.loseKey();
    assert.equal(requireObject((await post(site, { function: 'stats', user: 'admin' })).json)['version'], '3.9');
  });

  it('when requests are open at the same time, then they are counted per site and for the fleet', async () => {
    site.latencyMs = 40;
    await Promise.all([sendSigned(site, 'stats'), sendSigned(site, 'security'), sendSigned(site, 'stats')]);
    assert.deepEqual([site.maxConcurrent, fleet.gauge.highest, fleet.gauge.total], [3, 3, 3]);
    assert.deepEqual([site.countOf('stats'), site.countOf('security')], [2, 1]);
    fleet.gauge.reset();
    await sendSigned(site, 'stats');
    assert.deepEqual([site.maxConcurrent, fleet.gauge.highest], [3, 1]);
  });
});
