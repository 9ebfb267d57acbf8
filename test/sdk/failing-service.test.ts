import assert from 'node:assert/strict';
import { getEventListeners, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createClient as createCore } from '../../src/sdk/core.ts';
import {
  ConnectionError,
  createClient,
  isRefusal,
  TimeoutError,
  type Operation,
  type Sitefleet,
} from '../../src/sdk/index.ts';
import { retryAfterMs } from '../../src/sdk/retry.ts';

const NEW_SITE = { url: 'https://example.com', admin: 'a' };
const PASSWORD = 'pa55-word-of-the-test';

interface Attempt {
  key: string | undefined;
}

type Respond = (response: ServerResponse, attempt: number, request: IncomingMessage) => void;

/** Runs calls against a service that responds to each attempt as given. Returns the attempts. */
async function callFailingService(
  respond: Respond,
  work: (fleet: Sitefleet, url: string) => Promise<void>,
  longestMs = 2_000,
): Promise<Attempt[]> {
  const attempts: Attempt[] = [];
  const server = createServer((request, response) => {
    attempts.push({ key: request.headers['idempotency-key'] as string | undefined });
    respond(response, attempts.length, request);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const fleet = createClient({ url, user: 'u', password: PASSWORD, retries: 2, backoff: { firstMs: 1, longestMs } });
    await work(fleet, url);
  } finally {
    server.closeAllConnections();
    server.close();
  }
  return attempts;
}

function answer(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

const refuse = (
  response: ServerResponse,
  status: number,
  code: string,
  data: object = {},
  headers: Record<string, string> = {},
): void => answer(response, status, { code, message: 'No.', data: { status, ...data } }, headers);

const addSite = (fleet: Sitefleet): Promise<unknown> => fleet.ability('add-site-v1', NEW_SITE);

describe('client SDK with a failing service', () => {
  it('when a read fails temporarily, then it is retried a limited number of times', async () => {
    const mended = await callFailingService(
      (response, attempt) =>
        attempt < 3 ? refuse(response, 503, 'svc_stopping') : answer(response, 200, { total: 7 }),
      async (fleet) => assert.equal((await fleet.ability('count-sites-v1')).total, 7),
    );
    assert.equal(mended.length, 3);
    const lasting = await callFailingService(
      (response) => response.writeHead(503).end('<html>'),
      async (fleet) => assert.rejects(fleet.ability('count-sites-v1'), { code: 'unknown', status: 503, data: {} }),
    );
    assert.equal(lasting.length, 3);
  });

  it('when the connection is lost, then a read is retried', async () => {
    const attempts = await callFailingService(
      (response) => void response.destroy(),
      async (fleet) => assert.rejects(fleet.ability('count-sites-v1'), ConnectionError),
    );
    assert.equal(attempts.length, 3);
  });

  it('when a change gets no response, then it is retried with the same idempotency key', async () => {
    const attempts = await callFailingService(
      (response, attempt) => {
        if (attempt === 1) return void response.destroy();
        if (attempt === 2) return refuse(response, 409, 'svc_idempotency_in_progress');
        answer(response, 200, { id: 5 });
      },
      async (fleet) => assert.deepEqual(await addSite(fleet), { id: 5 }),
    );
    assert.equal(attempts.length, 3);
    assert.match(String(attempts[0]?.key), /^[\da-f]{32}$/);
    assert.equal(new Set(attempts.map(({ key }) => key)).size, 1);
  });

  it('when the first attempt is still running, then the SDK asks until it has ended, unless it may not retry', async () => {
    const isRunning: Respond = (response, attempt) =>
      attempt <= 12 ? refuse(response, 409, 'svc_idempotency_in_progress') : answer(response, 200, { id: 5 });
    const attempts = await callFailingService(
      isRunning,
      async (fleet) => assert.deepEqual(await addSite(fleet), { id: 5 }),
      20,
    );
    assert.equal(attempts.length, 13);
    assert.equal(new Set(attempts.map(({ key }) => key)).size, 1);
    const options = { retries: 0, idempotencyKey: 'mine' };
    const once = await callFailingService(isRunning, async (fleet) =>
      assert.rejects(fleet.ability('add-site-v1', NEW_SITE, options), { code: 'svc_idempotency_in_progress' }),
    );
    assert.equal(once.length, 1);
  });

  it('when a change must not be repeated, then it is sent once without a key', async () => {
    const attempts = await callFailingService(
      (response) => void response.destroy(),
      async (fleet) => assert.rejects(fleet.ability('add-site-v1', NEW_SITE, { retries: 0 }), ConnectionError),
    );
    assert.deepEqual(attempts, [{ key: undefined }]);
    const keyless: Operation<'order', { args?: object; answer: object }> = {
      id: 'order',
      method: 'POST',
      path: '/order',
    };
    const refusals: Respond[] = [
      (response) => void response.destroy(),
      (response) => refuse(response, 503, 'svc_stopping'),
    ];
    for (const respond of refusals) {
      const sent = await callFailingService(respond, async (_fleet, url) =>
        assert.rejects(createCore({ url, key: 'k', operations: [keyless] }).route('order')),
      );
      assert.deepEqual(sent, [{ key: undefined }]);
    }
  });

  it('when a repeatable change fails temporarily, then it is retried with another key', async () => {
    const attempts = await callFailingService(
      (response, attempt) => (attempt === 1 ? refuse(response, 503, 'svc_stopping') : answer(response, 200, {})),
      async (fleet) => void (await fleet.ability('sync-sites-v1')),
    );
    assert.equal(new Set(attempts.map(({ key }) => key)).size, 2);
  });

  it('when the response is a replay, then the call is not retried', async () => {
    const attempts = await callFailingService(
      (response, attempt) =>
        refuse(response, 503, 'svc_stopping', {}, attempt === 1 ? {} : { 'idempotency-replayed': 'true' }),
      async (fleet) => assert.rejects(addSite(fleet), { status: 503 }),
    );
    assert.equal(attempts.length, 2);
  });

  it('when a call was interrupted or failed permanently, then it is not retried', async () => {
    const refusals: [number, string, object?][] = [
      [409, 'svc_idempotency_in_progress', { interrupted: true }],
      [404, 'svc_site_not_found'],
      [503, 'svc_site_unreachable', { layer: 'tls' }],
      [500, 'svc_internal_error'],
    ];
    for (const [status, code, data] of refusals) {
      const attempts = await callFailingService(
        (response) => refuse(response, status, code, data),
        async (fleet) => assert.rejects(addSite(fleet), { code }),
      );
      assert.equal(attempts.length, 1, code);
    }
  });

  it('when the response has Retry-After in seconds or as a date, then the SDK waits until then', async () => {
    const now = Date.UTC(2026, 10, 22, 10, 0, 0);
    assert.equal(retryAfterMs('7', now), 7_000);
    assert.equal(retryAfterMs('Sun, 22 Nov 2026 10:00:30 GMT', now), 30_000);
    assert.equal(retryAfterMs('Sun, 22 Nov 2026 09:00:00 GMT', now), 0);
    assert.equal(retryAfterMs('soon', now), null);
    for (const when of ['600', new Date(Date.now() + 600_000).toUTCString()]) {
      const controller = new AbortController();
      const { signal } = controller;
      const reason = new Error('It waits.');
      const attempts = await callFailingService(
        (response) => {
          // The retry would come after a millisecond, long before this.
          response.on('finish', () => setTimeout(() => controller.abort(reason), 50));
          refuse(response, 429, 'svc_rate_limited', {}, { 'retry-after': when });
        },
        async (fleet) => assert.rejects(fleet.ability('count-sites-v1', {}, { signal }), reason),
        3_600_000,
      );
      assert.equal(attempts.length, 1);
    }
  });

  it('when Retry-After is too long, then the error is thrown', async () => {
    const attempts = await callFailingService(
      (response) => refuse(response, 429, 'svc_rate_limited', { retry_after_seconds: 900 }, { 'retry-after': '900' }),
      async (fleet) =>
        assert.rejects(fleet.ability('count-sites-v1'), (error) => {
          assert.ok(isRefusal(error, 'svc_rate_limited'));
          return error.data.retry_after_seconds === 900 && error.isRetriable;
        }),
    );
    assert.equal(attempts.length, 1);
  });

  it('when the timeout passes or the caller aborts, then the call ends at once', async () => {
    const silence = (): void => undefined;
    await callFailingService(silence, async (fleet) =>
      assert.rejects(fleet.ability('count-sites-v1', {}, { timeoutMs: 20 }), TimeoutError),
    );
    const reason = new Error('enough');
    const controller = new AbortController();
    const attempts = await callFailingService(
      () => controller.abort(reason),
      async (fleet) => {
        const { signal } = controller;
        for (let call = 0; call < 2; call++)
          await assert.rejects(fleet.ability('count-sites-v1', {}, { signal }), reason);
      },
    );
    assert.equal(attempts.length, 1);
  });

  it('when the response breaks off, then a read is retried, and the timeout includes the body', async () => {
    const begin = (response: ServerResponse): void => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"total":');
    };
    const attempts = await callFailingService(
      (response, attempt) => {
        begin(response);
        if (attempt === 1) setImmediate(() => response.destroy());
        else response.end('3}');
      },
      async (fleet) => assert.equal((await fleet.ability('count-sites-v1')).total, 3),
    );
    assert.equal(attempts.length, 2);
    await callFailingService(begin, async (fleet) =>
      assert.rejects(fleet.ability('count-sites-v1', {}, { timeoutMs: 50 }), TimeoutError),
    );
  });

  describe('with a response that stalls after its headers', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;

    /** Starts a response, collects garbage, runs `meanwhile`, and ends the response a second later. */
    const stall =
      (meanwhile: () => void = () => undefined): Respond =>
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).write('{"total":');
        setTimeout(collect, 50);
        setTimeout(() => (collect(), meanwhile()), 100);
        setTimeout(() => response.end('3}'), 1_100);
      };

    it('when the timeout passes, then the call ends', async () => {
      await callFailingService(stall(), async (fleet) =>
        assert.rejects(fleet.ability('count-sites-v1', {}, { timeoutMs: 300 }), TimeoutError),
      );
    });

    it('when the caller aborts, then the call ends, also with another fetch', async () => {
      for (const fetch of [undefined, (request: Request) => globalThis.fetch(request)]) {
        const controller = new AbortController();
        const { signal } = controller;
        const reason = new Error('enough');
        await callFailingService(
          stall(() => controller.abort(reason)),
          async (_fleet, url) => {
            const fleet = createClient({ url, key: 'k', ...(fetch && { fetch }) });
            await assert.rejects(fleet.ability('count-sites-v1', {}, { signal }), reason);
          },
        );
      }
    });

    it('when the caller aborts a download, then reading its body fails', async () => {
      const controller = new AbortController();
      const { signal } = controller;
      const reason = new Error('enough');
      await callFailingService(
        stall(() => controller.abort(reason)),
        async (fleet) => {
          const text = (await fleet.file('time_tracker_tasks_export', {}, { signal })).text();
          await assert.rejects(text, reason);
        },
      );
    });

    it('when only the body of a download is kept, then it is read to its end', async () => {
      await callFailingService(stall(), async (fleet) => {
        const { signal } = new AbortController();
        const { body } = await fleet.file('time_tracker_tasks_export', {}, { signal });
        await sleep(200);
        assert.equal(await new Response(body).text(), '{"total":3}');
      });
    });
  });

  it('when the body of a download has ended or is cancelled, then the signal has no listener left', async () => {
    const { signal } = new AbortController();
    await callFailingService(
      (response, attempt) => {
        response.writeHead(200, { 'content-type': 'text/csv' }).write('id,title');
        if (attempt === 1) response.end();
        if (attempt === 2) setImmediate(() => response.destroy());
      },
      async (fleet) => {
        const download = (): Promise<Response> => fleet.file('time_tracker_tasks_export', {}, { signal });
        const ended = await download();
        assert.equal(getEventListeners(signal, 'abort').length, 1);
        assert.equal(await ended.text(), 'id,title');
        await assert.rejects((await download()).text());
        await (await download()).body?.cancel();
        assert.equal(getEventListeners(signal, 'abort').length, 0);
      },
    );
  });

  it('when a timeout is longer than a timer can be, then the call does not end early', async () => {
    await callFailingService(
      (response) => setTimeout(() => answer(response, 200, { total: 7 }), 50),
      async (fleet) =>
        assert.equal((await fleet.ability('count-sites-v1', {}, { timeoutMs: 30 * 86_400_000 })).total, 7),
    );
  });

  it('when a download is aborted, then reading its body fails', async () => {
    const controller = new AbortController();
    await callFailingService(
      (response) => void response.writeHead(200, { 'content-type': 'text/csv' }).write('id,title'),
      async (fleet) => {
        const file = await fleet.file('time_tracker_tasks_export', {}, { signal: controller.signal });
        controller.abort(new Error('enough'));
        await assert.rejects(file.text(), /abort|enough/i);
      },
    );
  });

  it('when the response is not JSON, then the error has the code unknown', async () => {
    await callFailingService(
      (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
      async (fleet) => assert.rejects(fleet.ability('count-sites-v1'), { code: 'unknown', status: 200 }),
    );
  });

  it('when client or errors are printed, then the output has no credential', async () => {
    let sent = '';
    const shown: unknown[] = [];
    await callFailingService(
      (response, attempt, request) => {
        sent = request.headers.authorization ?? '';
        if (attempt < 4) response.destroy();
        else refuse(response, 404, 'svc_site_not_found');
      },
      async (fleet) => {
        shown.push(fleet);
        for (let call = 0; call < 2; call++)
          await fleet.ability('count-sites-v1').catch((error: unknown) => shown.push(error));
      },
    );
    assert.equal(shown.length, 3);
    const text = inspect(shown, { depth: Infinity, showHidden: true });
    for (const secret of [PASSWORD, sent, sent.replace('Basic ', '')]) assert.ok(!text.includes(secret));
  });

  it('when a credential is malformed, then the error does not contain it', () => {
    const url = 'http://127.0.0.1:1';
    for (const make of [
      () => createClient({ url, key: `${PASSWORD}\n` }),
      () => createClient({ url, key: undefined }),
      () => createClient({ url, user: `${PASSWORD}:`, password: PASSWORD }),
      () => createClient({ url: `http://u:${PASSWORD}@127.0.0.1:1`, key: 'k' }),
    ])
      assert.throws(make, (error: Error) => error instanceof TypeError && !inspect(error).includes(PASSWORD));
  });
});
