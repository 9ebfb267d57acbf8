import assert from 'node:assert/strict';
import { abilities, AbilityBench } from './ability-bench.ts';

// Runs on SQLite only: the test is about the calls to a site.

/** Faults before a request is sent. `data.layer` has the place, and the call cannot have changed the site. */
describe('sites that no request reaches', () => {
  const called = abilities.filter(({ kind }) => kind !== 'local');

  /** Tests every ability on its own site. */
  function everyAbility(rig: () => AbilityBench, indexes: Map<string, number>, layer: string): void {
    for (const ability of called) {
      const told =
        ability.kind === 'call' || ability.kind === 'add' ? `returns the layer ${layer}` : 'reports the failure';
      it(`when ${ability.name} is called, then it ${told}`, async () => {
        const index = indexes.get(ability.name) ?? -1;
        const seen = rig().world.site(index).requests.length;
        const { status, body } = await rig().call(ability, index);
        const text = JSON.stringify(body);
        assert.equal(rig().world.site(index).requests.length, seen, 'a request got through');
        switch (ability.kind) {
          case 'call':
          case 'add':
            assert.deepEqual([status, body.code, body.data.layer], [503, 'svc_site_unreachable', layer], text);
            break;
          case 'update':
            assert.ok(status === 200 || status === 503, text);
            assert.deepEqual(
              [...new Set((body.errors ?? [body]).map((error: { code: string }) => error.code))],
              ['svc_site_unreachable'],
              text,
            );
            break;
          case 'batch':
            assert.deepEqual(
              body.errors.map((error: { code: string }) => error.code),
              ['svc_site_unreachable'],
              text,
            );
            break;
          case 'check':
            assert.deepEqual([status, (body.results?.[0] ?? body).reachable], [200, false], text);
            break;
          case 'told':
            assert.deepEqual([status, body.deleted, body.child_notified], [200, true, false], text);
            break;
          case 'local':
        }
      });
    }
  }

  describe('without a server', () => {
    let rig: AbilityBench;
    const indexes = new Map<string, number>();
    before(async () => {
      rig = await AbilityBench.start({ sites: called.length });
      for (const { name, kind } of called) indexes.set(name, await rig.freshSite(kind !== 'add'));
      await rig.world.fleet.close();
    });
    after(() => rig.close());
    everyAbility(() => rig, indexes, 'connect');
  });

  describe('without a DNS record', () => {
    let rig: AbilityBench;
    const indexes = new Map<string, number>();
    let known = true;
    let clock = 0;
    before(async () => {
      rig = await AbilityBench.start({
        sites: called.length,
        overrides: {
          outbound: {
            now: () => clock,
            lookup: async (host) => {
              if (!known) throw new Error('ENOTFOUND');
              return [
                {
                  address: host
                    .replace(/^a/, '')
                    .replace(/\.example$/, '')
                    .replaceAll('-', '.'),
                  family: 4,
                },
              ];
            },
          },
        },
      });
      for (const { name, kind } of called) {
        const index = await rig.freshSite(false);
        const { url, admin, adminPassword } = rig.world.site(index);
        const named = url.replace(/127[\d.]+/, (address) => `a${address.replaceAll('.', '-')}.example`);
        Object.assign(rig.world.site(index), { url: named });
        indexes.set(name, index);
        if (kind === 'add') continue;
        const { id } = await rig.world.container.services.sites.sites.add(
          { url: named, admin, password: adminPassword },
          'test',
        );
        rig.world.siteIds[index] = id;
      }
      known = false;
      // This is longer than the time for which a name is cached.
      clock += 60_000;
    });
    after(() => rig.close());
    everyAbility(() => rig, indexes, 'dns');
  });

  for (const defect of ['wrong-name', 'expired'] as const)
    describe(`with a certificate that is ${defect === 'expired' ? 'expired' : "another host's"}`, () => {
      let rig: AbilityBench;
      const indexes = new Map<string, number>();
      before(async () => {
        rig = await AbilityBench.start({
          sites: called.length,
          fleet: { tls: true, certificateDefects: () => defect },
        });
        for (const { name, kind } of called) {
          const index = await rig.freshSite(false);
          indexes.set(name, index);
          if (kind === 'add') continue;
          const { url, admin, adminPassword: password } = rig.world.site(index);
          const { id } = await rig.world.container.services.sites.sites.add(
            { url, admin, password, sslVerify: false },
            'test',
          );
          rig.world.siteIds[index] = id;
        }
        // Verification is off at first, so that the sites can be added.
        await rig.world.container.database.knex('site_secrets').update({ ssl_verify: 1 });
      });
      after(() => rig.close());
      everyAbility(() => rig, indexes, 'tls');
    });

  it('when ssl_verify is false, then a site with an untrusted certificate can be added', async () => {
    const rig = await AbilityBench.start({ sites: 1, fleet: { tls: true } });
    try {
      const index = await rig.freshSite(false);
      const { url, admin, adminPassword } = rig.world.site(index);
      const add = { name: 'add-site-v1' };
      const input = { url, admin, admin_password: adminPassword };
      assert.equal((await rig.run(add, input)).body.data.layer, 'tls');
      assert.equal((await rig.run(add, { ...input, ssl_verify: false })).status, 200);
    } finally {
      await rig.close();
    }
  });
});
