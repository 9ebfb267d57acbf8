import type { World } from './world.ts';

/** Runs the work while the module is off. */
export async function withoutModule(world: World, slug: string, work: () => Promise<unknown>): Promise<void> {
  const { modules } = world.container.services.modules;
  await modules.setActive(slug, false, 'test');
  try {
    await work();
  } finally {
    await modules.setActive(slug, true, 'test');
  }
}
