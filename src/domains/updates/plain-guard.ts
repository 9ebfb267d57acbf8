import type { UpdateGuard } from './guard.ts';

/** Takes an update back by installing the old version. Works as long as the child plugin answers. */
export const plainGuard: UpdateGuard = {
  name: 'plain',
  prepare: () => Promise.resolve(),
  restore: (task) => task.reinstall(),
  release: () => Promise.resolve([]),
};
