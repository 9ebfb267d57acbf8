import { PLUGINS, type Fleet } from '../sandbox/index.ts';
import type { Container } from '../service/container.ts';

/** Stores a package of a plugin of the first site, and a pin of it that leaves no update out. */
export async function demoPackageAndPin({ services }: Container, fleet: Fleet, actor: string): Promise<void> {
  const installed = fleet.sites[0]?.state.plugins;
  const plugin = PLUGINS.find(({ file }) => file.includes('/') && installed?.has(file));
  if (!plugin) return;
  const version = plugin.versions.at(-1) ?? '';
  const [slug = ''] = plugin.file.split('/');
  await services.packages.packages.fetch({ kind: 'plugin', slug, version }, actor);
  const pin = { version: `<=${version}`, note: 'Newer versions are tried on the staging site first.' };
  await services.pins.pins.set(1, { type: 'plugin', slug: plugin.file }, pin, actor);
}
