import type { SimulatedSite } from '../../src/sandbox/index.ts';
import type { DefaultService } from '../support/default-service.ts';

/** Parts of the world that the preparations use. */
interface PreparationContext {
  site(index: number): SimulatedSite;
  id(index: number): number;
  send: DefaultService['send'];
}

type PrepareOperation = (world: PreparationContext, given: Readonly<Record<string, unknown>>) => Promise<unknown>;

const suspendSite: PrepareOperation = (world) => world.send('POST', `/api/v2/sites/${world.id(0)}/suspend`);
const suspendClient: PrepareOperation = (world, given) =>
  world.send('POST', `/api/v2/clients/${String(given['client_id_or_email'] ?? given['id_or_email'])}/suspend`);
const activate: PrepareOperation = (world) => {
  for (const plugin of world.site(0).state.plugins.values()) plugin.active = true;
  world.site(0).touch();
  return world.send('POST', `/api/v2/sites/${world.id(0)}/sync`);
};
const ignore =
  (kind: string, slug: string[]): PrepareOperation =>
  (world) =>
    world.send('POST', `/api/v2/updates/${world.id(0)}/ignore/${kind}`, JSON.stringify({ slug }));
const unignore =
  (kind: string): PrepareOperation =>
  (world) =>
    world.send('DELETE', `/api/v2/updates/${world.id(0)}/ignore/${kind}`);

const changeColor: PrepareOperation = (world, given) =>
  world.send('PUT', `/api/v2/tags/${String(given['tag_id'])}/edit`, JSON.stringify({ color: '#112233' }));
/** Sets an old WordPress version with an available update. */
const releaseCore: PrepareOperation = (world) => {
  Object.assign(world.site(0).state.core, { version: '6.8', update: '99.0' });
  world.site(0).touch();
  return world.send('POST', `/api/v2/sites/${world.id(0)}/sync`);
};
const changeSetting =
  (path: string, value: object): PrepareOperation =>
  (world) =>
    world.send('PUT', `/api/v2/${path}/edit`, JSON.stringify(value));

const PLUGINS = ['hello-dolly/hello.php', 'akismet/akismet.php', 'hello.php'];
const THEMES = ['twentytwentyfour', 'twentytwentyfive', 'twentytwentythree'];

const tagSite: PrepareOperation = (world, given) =>
  world.send('PUT', `/api/v2/sites/${world.id(0)}/edit`, JSON.stringify({ groupids: given['groups'] }));
const removeManualEntry: PrepareOperation = (world) =>
  world.send('DELETE', `/api/v2/domain-monitor/manual/${world.id(0)}`);
const addManualEntry: PrepareOperation = (world) =>
  world.send('PUT', `/api/v2/domain-monitor/manual/${world.id(0)}`, JSON.stringify({ registrar: 'Ann' }));

const putVersion =
  (version: string): PrepareOperation =>
  async (world) => {
    for (const index of [0, 1]) {
      for (const plugin of world.site(index).state.plugins.values()) plugin.version = version;
      world.site(index).touch();
      await world.send('POST', `/api/v2/sites/${world.id(index)}/sync`);
    }
  };
const emptyVault: PrepareOperation = async (world) => {
  const { data } = (await world.send('GET', '/api/v2/packages')).body as { data: { id: number }[] };
  for (const { id } of data) await world.send('DELETE', `/api/v2/packages/${id}/remove`);
};

/** Preparations that give an operation something to do, which would otherwise do nothing the second time. */
export const PREPARATIONS: Readonly<Record<string, PrepareOperation>> = {
  packages_rollback: putVersion('1.8'),
  sites_packages_rollback: putVersion('1.8'),
  packages_fetch: emptyVault,
  packages_add: emptyVault,
  packages_upload: emptyVault,
  packages_install: putVersion('1.6'),
  sites_packages_install: putVersion('1.6'),
  'unsuspend-site-v1': suspendSite,
  sites_unsuspend: suspendSite,
  'unsuspend-client-v1': suspendClient,
  clients_unsuspend: suspendClient,
  'deactivate-site-plugins-v1': activate,
  sites_plugins_deactivate: activate,
  'ignore-site-plugins-v1': unignore('plugins'),
  'ignore-site-themes-v1': unignore('themes'),
  'ignore-site-core-v1': unignore('core'),
  'set-ignored-updates-v1': unignore('plugins'),
  updates_ignore_plugins: unignore('plugins'),
  updates_ignore_themes: unignore('themes'),
  updates_ignore_core: unignore('core'),
  updates_unignore_plugins: ignore('plugins', PLUGINS),
  updates_unignore_themes: ignore('themes', THEMES),
  updates_unignore_core: ignore('core', []),
  tags_edit: changeColor,
  updates_run_core: releaseCore,
  updates_run_site: releaseCore,
  updates_run: releaseCore,
  settings_monitoring_edit: changeSetting('settings/monitoring', { svc_uptime_monitoring_interval: 15 }),
  modules_edit: (world) => world.send('PUT', '/api/v2/modules/cost-tracker', JSON.stringify({ active: true })),
  tools_clear_activation_data: (world) =>
    world.send('PUT', '/api/v2/modules/perf-audit', JSON.stringify({ active: false })),
  users_update_admin_password: tagSite,
  users_update_admin_password__patch: tagSite,
  domain_monitor_manual: removeManualEntry,
  domain_monitor_manual_edit: removeManualEntry,
  domain_monitor_manual_delete: addManualEntry,
  domain_monitor_manual_remove: addManualEntry,
};
