/**
 * Runs a simulated fleet of registered sites with keys from the pool: `fleet.ts <sites> <latency ms> [addresses] [posts
 * each] [hanging]`. SIGUSR2 makes the hanging sites (default: 10) hang, or answer again. SIGHUP makes an editor work on
 * every site: a login, a plugin that is switched off or on, and a new post.
 */
import { startFleet } from '../../src/sandbox/index.ts';
import { CHILD_PLUGIN_FILE } from '../../src/sandbox/state/catalogue.ts';
import { newPost } from '../../src/sandbox/state/generate-content.ts';
import { loadKeyPool, keyPairAt, DASHBOARD_URL } from './keys.ts';

const [sites = '10', latency = '0', ips, posts, hanging = '10'] = process.argv.slice(2);
const pool = loadKeyPool();
const fleet = await startFleet({
  sites: Number(sites),
  latencyMs: Number(latency),
  requestLog: 0,
  ...(ips ? { ips: Number(ips) } : {}),
  primedKeys: (index) => ({ publicKeyPem: keyPairAt(pool, index).publicKeyPem, server: DASHBOARD_URL, admin: 'admin' }),
});
if (posts)
  for (const { state } of fleet.sites) {
    state.posts.clear();
    for (let id = 1; id <= Number(posts); id++)
      state.posts.set(id, newPost({ id, type: 'post', status: 'publish', title: `Post ${id}`, date: id }));
  }
console.log(JSON.stringify({ url: JSON.stringify(fleet.sites.map(({ url }) => url)) }));
process.on('SIGUSR2', () => {
  for (let index = 0; index < Number(hanging); index++) {
    const site = fleet.sites[index * Math.floor(fleet.sites.length / Number(hanging))];
    if (site) site.fault = site.fault ? null : { kind: 'hang' };
  }
});
process.on('SIGHUP', () => {
  for (const site of fleet.sites) {
    const plugin = [...site.state.plugins.values()].find(({ definition }) => definition.file !== CHILD_PLUGIN_FILE);
    site.performWpAdminAction({ do: 'log-in' });
    if (plugin)
      site.performWpAdminAction({
        do: plugin.active ? 'deactivate-plugin' : 'activate-plugin',
        plugin: plugin.definition.file,
      });
    site.performWpAdminAction({ do: 'publish-post', title: 'News' });
  }
});
process.on('SIGTERM', () => void fleet.close().then(() => process.exit(0)));
