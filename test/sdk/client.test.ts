import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SitefleetClient, type SitefleetError } from '../../src/sdk/index.ts';
import { startWorld, type World } from '../support/world.ts';

describe('the client SDK', () => {
  let world: World;
  let client: SitefleetClient;
  before(async () => {
    world = await startWorld({ sites: 3 });
    const { secret } = await world.container.services.access.access.createKey(
      { userId: 1, label: 'sdk', scope: 'read_write', expiresAt: null },
      'test',
    );
    client = new SitefleetClient({ baseUrl: world.url, credential: { apiKey: secret }, backoffMs: 1 });
  });
  after(() => world.close());

  it('when it runs abilities of both verbs, then input and answer are typed', async () => {
    const { total } = await client.ability('count-sites-v1');
    assert.equal(total, 3);
    const site = await client.ability('get-site-v1', { site_id_or_domain: world.siteId(0) });
    assert.equal(site.url, world.site(0).url);
    const synced = await client.ability('sync-sites-v1', { site_ids_or_domains: [world.siteId(1)] });
    assert.ok('total_synced' in synced && synced.total_synced === 1 && !synced.queued);
  });

  it('when there are several pages, then it walks through all', async () => {
    const ids: number[] = [];
    for await (const site of client.items('list-sites-v1', { per_page: 2 })) ids.push(site.id);
    assert.deepEqual(ids, world.siteIds);
  });

  it('when it calls routes, then it can wait for their jobs', async () => {
    const { data } = await client.route('jobs_list', { query: { per_page: 1 } });
    const job = await client.finishedJob(data[0]?.job_id ?? '', { everyMs: 5 });
    assert.equal(job.data.status, 'completed');
  });

  it('when a file is given, then it is sent in a form', async () => {
    const csv_file = `sdk,sdk@example.com,,,,,,,${world.site(0).url},`;
    const { success_users: made } = await client.route('users_import', { body: { csv_file, has_header: false } });
    assert.deepEqual(Object.keys(made[0]?.created_sites ?? {}), [String(world.siteId(0))]);
  });

  it('when the service refuses, then it throws with the code and the request ID', async () => {
    await assert.rejects(client.ability('get-site-v1', { site_id_or_domain: 999_999 }), (error: SitefleetError) => {
      assert.equal(error.code, 'svc_site_not_found');
      assert.equal(error.status, 404);
      assert.match(error.requestId ?? '', /^[\w-]{8,}$/);
      return true;
    });
  });

  it('when the input of a read is long, then it is sent in a body', async () => {
    const tag_ids = Array.from({ length: 1000 }, (_, index) => index + 100);
    assert.equal((await client.ability('count-sites-v1', { tag_ids })).total, 0);
  });
});

describe('the client SDK against a failing service', () => {
  async function against(listener: RequestListener, work: (client: SitefleetClient) => Promise<void>): Promise<void> {
    const server = createServer(listener).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      await work(new SitefleetClient({ baseUrl, credential: { user: 'u', password: 'p' }, retries: 2, backoffMs: 1 }));
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }

  it('when a read gets no answer, then it is repeated, and not for ever', async () => {
    let calls = 0;
    await against(
      (_request, response) => {
        calls++;
        response.writeHead(calls < 3 ? 503 : 200, { 'content-type': 'application/json' });
        response.end('{"total": 7}');
      },
      async (client) => assert.equal((await client.ability('count-sites-v1')).total, 7),
    );
    assert.equal(calls, 3);
    calls = 0;
    await against(
      (_request, response) => {
        calls++;
        response.destroy();
      },
      async (client) => assert.rejects(client.ability('count-sites-v1')),
    );
    assert.equal(calls, 3);
  });

  it('when a call may have done something, then it is never repeated', async () => {
    let calls = 0;
    await against(
      (_request, response) => {
        calls++;
        response.writeHead(503).end();
      },
      async (client) =>
        assert.rejects(client.ability('add-site-v1', { url: 'https://example.com', admin: 'a' }), { status: 503 }),
    );
    assert.equal(calls, 1);
  });

  it('when a change got no answer, then it is sent again under the key of the first attempt', async () => {
    const keys: unknown[] = [];
    await against(
      (request, response) => {
        keys.push(request.headers['idempotency-key']);
        if (keys.length === 1) return void response.destroy();
        const refusal = { code: 'svc_idempotency_in_progress', message: 'Wait.', data: { status: 409 } };
        const [status, body] = keys.length === 2 ? [409, refusal] : [200, { id: 5 }];
        return void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      },
      async (client) =>
        assert.equal((await client.ability('add-site-v1', { url: 'https://example.com', admin: 'a' })).id, 5),
    );
    assert.equal(keys.length, 3);
    assert.match(String(keys[0]), /^[\da-f-]{36}$/);
    assert.equal(new Set(keys).size, 1);
  });

  it('when a call was interrupted, then it does not wait for it', async () => {
    let calls = 0;
    await against(
      (_request, response) => {
        calls++;
        const data = { status: 409, interrupted: true };
        response
          .writeHead(409, { 'content-type': 'application/json' })
          .end(JSON.stringify({ code: 'svc_idempotency_in_progress', message: 'Look.', data }));
      },
      async (client) => assert.rejects(client.ability('add-site-v1', { url: 'https://example.com', admin: 'a' })),
    );
    assert.equal(calls, 1);
  });

  it('when something was refused for good, then it is not repeated', async () => {
    let calls = 0;
    await against(
      (_request, response) => {
        calls++;
        response
          .writeHead(404, { 'content-type': 'application/json' })
          .end('{"code":"svc_site_not_found","message":"No.","data":{"status":404}}');
      },
      async (client) =>
        assert.rejects(client.ability('get-site-v1', { site_id_or_domain: 1 }), { code: 'svc_site_not_found' }),
    );
    assert.equal(calls, 1);
  });
});
