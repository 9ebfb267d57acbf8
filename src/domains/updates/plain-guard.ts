import type { UpdateGuard } from './guard.ts';

/** Installs the version before again. Works as long as the child plugin answers. */
export const plainGuard: UpdateGuard = {
  name: 'plain',
  prepare: () => Promise.resolve(),
  restore: (task) => task.reinstall(),
  release: () => Promise.resolve([]),
};
