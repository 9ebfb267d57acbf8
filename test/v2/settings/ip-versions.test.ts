import assert from 'node:assert/strict';
import { freePort } from '../../../scripts/support/free-port.ts';
import { editSettings } from '../../support/settings.ts';
import { startWorld, type World } from '../../support/world.ts';

/** Two names of the same host. The first has only an IPv6 address. */
const ADDRESSES = {
  'six.test': [{ address: '::1', family: 6 }],
  'both.test': [
    { address: '::1', family: 6 },
    { address: '127.0.0.1', family: 4 },
  ],
} as const;

describe('svc_force_use_ipv4', () => {
  let world: World;
  /** No server listens on this port. */
  let port: number;
  before(async () => {
    port = await freePort();
    const lookup = async (host: string) => [...(ADDRESSES[host as keyof typeof ADDRESSES] ?? [])];
    const env = { SITEFLEET_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128' };
    world = await startWorld({ env, overrides: { outbound: { lookup } } });
  });
  after(() => world.close());

  /** Returns the network layer at which a call fails. */
  const layerAt = async (host: string): Promise<string> => {
    const site = { url: `http://${host}:${port}`, admin: 'admin', admin_password: 'secret' };
    return (await world.ability('add-site-v1', site, { expect: 503 })).data.layer;
  };

  it('when only IPv4 is allowed, then the next call to a host without an IPv4 address fails at DNS', async () => {
    for (const [only, layer] of [
      [0, 'connect'],
      [1, 'dns'],
      [null, 'connect'],
    ] as const) {
      await editSettings(world, 'advanced', { svc_force_use_ipv4: only });
      assert.equal(await layerAt('six.test'), layer, String(only));
      assert.equal(await layerAt('both.test'), 'connect');
    }
  });
});
