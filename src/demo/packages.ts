import type { SimulatedSite } from '../sandbox/index.ts';
import type { Container } from '../service/container.ts';

const PACKAGE = { kind: 'plugin', slug: 'contact-form-7', version: '6.1.1' } as const;
const NOTE = 'Newer versions of this plugin were not tested on this site.';

export async function demoPackages({ services }: Container, site: SimulatedSite | undefined): Promise<void> {
  await services.packages.packages.fetch(PACKAGE, 'demo');
  const current = [...(site?.state.plugins.values() ?? [])].find(({ update, mu }) => update === null && !mu);
  if (!current) return;
  const item = { type: 'plugin', slug: current.definition.file } as const;
  await services.pins.pins.set(1, item, { version: current.version, note: NOTE }, 'demo');
}
