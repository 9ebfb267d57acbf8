import assert from 'node:assert/strict';
import { request } from 'node:http';
import { openSocket } from '../support/raw-http.ts';
import { until } from '../support/until.ts';
import { basic, startSmallApp } from './small-app.ts';

describe('callers that hang up', () => {
  it('when a caller hangs up, then the request has one line and one count, with the status 499', async () => {
    let end = (): void => undefined;
    let isRunning = false;
    const handlers = {
      things_list: async () => {
        isRunning = true;
        await new Promise<void>((resolve) => (end = resolve));
        return { status: 200, body: { path: {}, query: {}, body: {} } };
      },
    };
    const app = await startSmallApp({ handlers });
    const lines = () => app.logs.filter(({ msg }) => msg === 'request');
    const caller = request(`${app.url}/api/v2/things`, { headers: { authorization: basic('admin') } });
    caller.on('error', () => undefined).end();
    await until(() => isRunning, 'the call');
    caller.destroy();
    await until(() => lines().length > 0, 'the line');
    end();
    const { text } = await app.call('GET', '/metrics');
    assert.deepEqual(
      lines()
        .filter(({ path }) => path === '/api/v2/things')
        .map(({ status, operation }) => [status, operation]),
      [[499, 'things_list']],
    );
    assert.match(text, /sitefleet_http_request_seconds_count\{operation="things_list",method="GET",status="499"\} 1/);
    await app.close();
  });

  it('when a handler asks for the signal after the caller has hung up, then the signal is aborted', async () => {
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    let running = 0;
    const reasons: unknown[] = [];
    const handlers = {
      things_list: async ({ disconnectSignal }: { disconnectSignal: () => AbortSignal }) => {
        running += 1;
        await ended;
        reasons.push(disconnectSignal().reason);
        return { status: 200, body: { path: {}, query: {}, body: {} } };
      },
    };
    const app = await startSmallApp({ handlers });
    const socket = await openSocket(Number(new URL(app.url).port));
    // The second response waits for the first one.
    socket.write(`GET /api/v2/things HTTP/1.1\r\nHost: a\r\nAuthorization: ${basic('admin')}\r\n\r\n`.repeat(2));
    await until(() => running === 2, 'the calls');
    socket.resetAndDestroy();
    await until(() => app.logs.filter(({ status }) => status === 499).length === 2, 'the end of the connection');
    end();
    await until(() => reasons.length === 2, 'the reasons');
    assert.deepEqual(
      reasons.map((reason) => (reason as { code?: string } | undefined)?.code),
      ['svc_request_timeout', 'svc_request_timeout'],
    );
    await app.close();
  });
});
