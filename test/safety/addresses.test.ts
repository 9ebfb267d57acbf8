import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { abilities, Rig } from '../faults/rig.ts';
import { Trap, watchDialling } from './trap.ts';

const PUBLIC = '93.184.215.14';
const NAMES: Record<string, string[]> = {
  'public.example': [PUBLIC],
  localhost: ['127.0.0.1'],
  'loop.example': ['127.0.0.1'],
  'inner.example': ['10.1.2.3'],
  'metadata.example': ['169.254.169.254'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'nat64.example': ['64:ff9b::7f00:1'],
  // One good address does not make up for another: which is dialled would be the attacker's choice.
  'both.example': [PUBLIC, '127.0.0.1'],
  'both6.example': [PUBLIC, '::1'],
};

/** `P` is the port of the trap. */
const REFUSED = [
  ...['127.0.0.1:P', '127.255.255.254:P', '0.0.0.0:P', '0:P', '127.1:P', '127.0.1:P', '127.0.0.1.:P', 'localhost:P'],
  ...[
    '2130706433:P',
    '0x7f000001:P',
    '0x7f.1:P',
    '0x7f.0x0.0x0.0x1:P',
    '017700000001:P',
    '0177.0.0.1:P',
    '%31%32%37.1:P',
  ],
  ...['①②⑦.⓪.⓪.①:P', '127。0。0。1:P', 'LOCALHOST:P', 'localhost.:P', 'loop.example:P', 'loop.example.:P'],
  ...['[::1]:P', '[::]:P', '[0:0:0:0:0:0:0:1]:P', '[::ffff:127.0.0.1]:P', '[::ffff:7f00:1]:P', '[::127.0.0.1]:P'],
  ...['[::ffff:0:127.0.0.1]:P', '[64:ff9b::7f00:1]:P', '[64:ff9b::169.254.169.254]', '[64:ff9b:1::7f00:1]:P'],
  ...['[2002:7f00:1::]:P', '[2002:a9fe:a9fe::1]', '[2001:0:7f00:1::80ff:fffe]:P', '[fe80::1]:P', '[fec0::1]:P'],
  ...['[fc00::1]', '[fd00:ec2::254]', '[ff02::1]', '[2001:db8::1]', '[100::1]'],
  ...['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1', '169.254.1.1', '169.254.169.254'],
  ...['2852039166', '0xa9fea9fe', '100.100.100.200', '168.63.129.16', '192.0.0.192', '198.18.0.1', '192.0.2.7'],
  ...['203.0.113.9', '224.0.0.1', '240.0.0.1', '255.255.255.255', 'inner.example', 'metadata.example'],
  ...['mapped.example:P', 'nat64.example:P', 'both.example:P', 'both6.example:P'],
].flatMap((host) => [`http://${host}/`, `https://${host}/`]);

const MALFORMED = [
  'http://user:pass@127.0.0.1:P/',
  'http://public.example@127.0.0.1:P/',
  'http://public.example%40127.0.0.1:P/',
  'http://public.example:80@127.0.0.1:P/',
  'http://127.0.0.1:P#@public.example/',
  'http://127.0.0.1:P?@public.example/',
  'http:\\\\127.0.0.1:P\\',
  'http:/127.0.0.1:P/',
  'http:127.0.0.1:P/',
  '//127.0.0.1:P/',
  '127.0.0.1:P',
  ' javascript:fetch("http://127.0.0.1:P/")',
  ...['ftp', 'file', 'gopher', 'ws', 'data', 'dict', 'ldap', 'unix'].map((scheme) => `${scheme}://127.0.0.1:P/`),
  ...[22, 25, 53, 110, 143, 3306, 5432, 6379, 11211].map((port) => `http://public.example:${port}/`),
  'http://[::1',
  'http://[127.0.0.1]:P/',
  'http://127.0.0.1:P:80/',
  'http://127.0.0.1:99999/',
  'http://..:P/',
  'http://a..b:P/',
  'http://0x7f.0.0.0.1:P/',
  'http://256.0.0.1:P/',
];

describe('addresses that may not be called', () => {
  const add = { name: 'add-site-v1' };
  let trap: Trap;
  before(async () => (trap = await Trap.set()));
  after(() => trap.close());

  const lookupIn = (names: Record<string, string[]>) => async (host: string) => {
    const found = names[host.toLowerCase()];
    if (!found) throw new Error('ENOTFOUND');
    return found.map((address) => ({ address, family: address.includes(':') ? (6 as const) : (4 as const) }));
  };

  describe('given by the caller', () => {
    let rig: Rig;
    before(async () => {
      const overrides = { outbound: { lookup: lookupIn(NAMES) } };
      rig = await Rig.start({ env: { SITEFLEET_ALLOWED_NETWORKS: '' }, overrides });
    });
    after(() => rig.close());

    const refuses = async (forms: string[], code: RegExp): Promise<void> => {
      const ports = new Set([trap.port, 80, 443, 22, 25, 53, 110, 143, 5432, 6379, 11211]);
      const watch = watchDialling(ports);
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

    it(`when they come in ${REFUSED.length} forms, then they are refused before anything is dialled`, () =>
      refuses(REFUSED, /^svc_address_refused$/));

    it(`when they are no plain web address in ${MALFORMED.length} forms, then they are refused`, () =>
      refuses(MALFORMED, /^(svc_invalid_url|svc_address_refused)$/));

    it('when all were refused, then no record and no job is left behind', async () => {
      assert.equal((await rig.world.ability('count-sites-v1')).total, 0);
    });

    it('when something is dialled, then the watch notices it', async () => {
      const watch = watchDialling(new Set([trap.port]));
      try {
        await fetch(`http://127.0.0.1:${trap.port}/`).then((answer) => answer.text());
      } finally {
        watch.stop();
      }
      assert.deepEqual([watch.dialled.length, trap.connections], [1, 1]);
      trap.connections = 0;
    });
  });

  describe('stored from a time when their network was allowed', () => {
    let rig: Rig;
    before(async () => {
      rig = await Rig.start({ sites: 60, env: { SITEFLEET_ALLOWED_NETWORKS: '127.10.0.0/16' } });
    });
    after(() => rig.close());

    for (const ability of abilities.filter(({ kind }) => kind !== 'local' && kind !== 'add'))
      it(`when ${ability.name} is called, then they are not`, async () => {
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
    let rig: Rig;
    before(async () => {
      const overrides = { outbound: { lookup: lookupIn(NAMES) } };
      rig = await Rig.start({ sites: 3, env: { SITEFLEET_ALLOWED_NETWORKS: '127.10.0.0/16' }, overrides });
    });
    after(() => rig.close());
    const check = { name: 'check-site-v1' };

    it('when a check is redirected there in any form, then it does not follow', async () => {
      const index = await rig.freshSite();
      const site = rig.world.site(index);
      // A header carries Latin letters alone.
      for (const form of REFUSED.filter((each) => /^[!-~]+$/.test(each))) {
        const location = form.replace('P', String(trap.port));
        site.fault = { kind: 'redirect', status: 302, location };
        const { status, body } = await rig.run(check, { site_id_or_domain: rig.world.siteId(index) });
        assert.deepEqual([status, body.code], [400, 'svc_address_refused'], `${location}: ${JSON.stringify(body)}`);
      }
      assert.equal(trap.connections, 0);
    });

    it('when a hop inside an allowed network comes first, then the next one is not followed', async () => {
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

  it('when a name changes its answer between check and dial, then they are not reached', async () => {
    const [good, bad] = ['127.60.0.1', '127.0.0.1'];
    const far = createServer((_request, response) => response.writeHead(400).end('0'));
    const inside = await Trap.set(bad);
    far.listen(inside.port, good);
    await once(far, 'listening');
    let arrived = 0;
    far.on('connection', () => (arrived += 1));
    let answers: string[] = [];
    let clock = 0;
    const rig = await Rig.start({
      sites: 1,
      env: { SITEFLEET_ALLOWED_NETWORKS: `${good}/32` },
      overrides: {
        outbound: {
          // No name is remembered: the next question gets the next answer.
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
