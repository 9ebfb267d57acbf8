import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { abilities, AbilityBench } from '../faults/ability-bench.ts';
import { createLookup, MALFORMED_URLS, DNS_RECORDS, REFUSED_ADDRESSES } from './address-forms.ts';
import { ForbiddenListener, watchConnections } from './forbidden-listener.ts';

// Runs on SQLite only: addresses are checked without the database.

describe('forbidden addresses', () => {
  const add = { name: 'add-site-v1' };
  let trap: ForbiddenListener;
  before(async () => (trap = await ForbiddenListener.start()));
  after(() => trap.close());

  describe('sent by the caller', () => {
    let rig: AbilityBench;
    before(async () => {
      const overrides = { outbound: { lookup: createLookup(DNS_RECORDS) } };
      rig = await AbilityBench.start({ env: { SITEFLEET_ALLOWED_NETWORKS: '' }, overrides });
    });
    after(() => rig.close());

    const refuses = async (forms: string[], code: RegExp): Promise<void> => {
      const ports = new Set([trap.port, 80, 443, 22, 25, 53, 110, 143, 5432, 6379, 11211]);
      const watch = watchConnections(ports);
      try {
        for (const form of forms) {
          const url = form.replace('P', String(trap.port));
          const { status, body } = await rig.run(add, { url, admin: 'admin', admin_password: 'x' });
          assert.equal(status, 400, `${url}: ${JSON.stringify(body)}`);
          assert.match(body.code, code, url);
        }
        await sleep(50);
      } finally {
        watch.stop();
      }
      assert.deepEqual(watch.dialled, []);
      assert.equal(trap.connections, 0);
    };

    it(`when an address comes in ${REFUSED_ADDRESSES.length} forms, then each is rejected before a connection is opened`, () =>
      refuses(REFUSED_ADDRESSES, /^svc_address_refused$/));

    it(`when a URL is malformed in ${MALFORMED_URLS.length} forms, then each is rejected`, () =>
      refuses(MALFORMED_URLS, /^(svc_invalid_url|svc_address_refused)$/));

    it('when all addresses were rejected, then no record or job was created', async () => {
      assert.equal((await rig.world.ability('count-sites-v1')).total, 0);
    });

    it('when a connection is opened, then the test detects it', async () => {
      const watch = watchConnections(new Set([trap.port]));
      try {
        await fetch(`http://127.0.0.1:${trap.port}/`).then((answer) => answer.text());
      } finally {
        watch.stop();
      }
      assert.deepEqual([watch.dialled.length, trap.connections], [1, 1]);
      trap.connections = 0;
    });
  });

  describe('stored while their network was allowed', () => {
    let rig: AbilityBench;
    before(async () => {
      rig = await AbilityBench.start({ sites: 60, env: { SITEFLEET_ALLOWED_NETWORKS: '127.10.0.0/16' } });
    });
    after(() => rig.close());

    for (const ability of abilities.filter(({ kind }) => kind !== 'local' && kind !== 'add'))
      it(`when ${ability.name} is called, then no connection is opened`, async () => {
        for (const address of ['http://127.0.0.1', 'https://127.0.0.1', 'https://[::1]']) {
          const index = await rig.freshSite();
          const id = rig.world.siteId(index);
          const url = `${address}:${trap.port}/`;
          await rig.world.container.database.knex('sites').where({ id }).update({ url });
          const { status, body } = await rig.call(ability, index);
          const text = `${url}: ${JSON.stringify(body)}`;
          if (ability.kind === 'told') assert.equal(body.child_notified, false, text);
          else if (body.errors) {
            const codes = new Set((body.errors as { code: string }[]).map(({ code }) => code));
            assert.deepEqual([status, ...codes], [200, 'svc_address_refused'], text);
          } else assert.deepEqual([status, body.code], [400, 'svc_address_refused'], text);
        }
        assert.equal(trap.connections, 0);
      });
  });

  describe('that a site redirects to', () => {
    let rig: AbilityBench;
    before(async () => {
      const overrides = { outbound: { lookup: createLookup(DNS_RECORDS) } };
      rig = await AbilityBench.start({ sites: 3, env: { SITEFLEET_ALLOWED_NETWORKS: '127.10.0.0/16' }, overrides });
    });
    after(() => rig.close());
    const check = { name: 'check-site-v1' };

    it('when a site redirects a check to any form of them, then the redirect is not followed', async () => {
      const index = await rig.freshSite();
      const site = rig.world.site(index);
      // A header can only contain Latin-1 characters.
      for (const form of REFUSED_ADDRESSES.filter((each) => /^[!-~]+$/.test(each))) {
        const location = form.replace('P', String(trap.port));
        site.fault = { kind: 'redirect', status: 302, location };
        const { status, body } = await rig.run(check, { site_id_or_domain: rig.world.siteId(index) });
        assert.deepEqual([status, body.code], [400, 'svc_address_refused'], `${location}: ${JSON.stringify(body)}`);
      }
      assert.equal(trap.connections, 0);
    });

    it('when the first redirect stays in an allowed network, then the next one is still checked', async () => {
      const [first, second] = [await rig.freshSite(), await rig.freshSite()];
      rig.world.site(first).fault = { kind: 'redirect', status: 307, location: rig.world.site(second).url };
      rig.world.site(second).fault = { kind: 'redirect', status: 308, location: `//localhost:${trap.port}/` };
      const from = rig.world.site(second).requests.length;
      const { status, body } = await rig.run(check, { site_id_or_domain: rig.world.siteId(first) });
      assert.deepEqual([status, body.code], [400, 'svc_address_refused']);
      assert.equal(rig.world.site(second).requests.length, from + 1, 'the allowed hop was made');
      assert.equal(trap.connections, 0);
    });
  });

  it('when a name resolves differently after its check, then no connection is opened', async () => {
    const [good, bad] = ['127.60.0.1', '127.0.0.1'];
    const far = createServer((_request, response) => response.writeHead(400).end('0'));
    const inside = await ForbiddenListener.start(bad);
    far.listen(inside.port, good);
    await once(far, 'listening');
    let arrived = 0;
    far.on('connection', () => (arrived += 1));
    let answers: string[] = [];
    let clock = 0;
    const rig = await AbilityBench.start({
      sites: 1,
      env: { SITEFLEET_ALLOWED_NETWORKS: `${good}/32` },
      overrides: {
        outbound: {
          // The clock passes the cache time, so that each lookup gets the next answer.
          now: () => (clock += 60_000),
          lookup: async () => [{ address: answers.shift() ?? bad, family: 4 }],
        },
      },
    });
    try {
      for (const scheme of ['http', 'https'])
        for (let round = 0; round < 16; round += 1) {
          answers = Array.from({ length: 6 }, (_, at) => ((round >> (at % 4)) & 1 ? good : bad));
          const url = `${scheme}://rebind.example:${inside.port}/`;
          const { status } = await rig.run({ name: 'add-site-v1' }, { url, admin: 'admin' });
          assert.ok([400, 502, 503].includes(status), String(status));
        }
      assert.ok(arrived > 0, 'the good answers were dialled');
      assert.equal(inside.connections, 0);
    } finally {
      await rig.close();
      inside.close();
      far.close();
      far.closeAllConnections();
    }
  });
});
