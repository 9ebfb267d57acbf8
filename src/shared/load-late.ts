import { createRequire } from 'node:module';

const load = createRequire(import.meta.url);

/**
 * Returns a function that loads a CommonJS package at its first call. Use it for packages that few calls need, because
 * each package costs memory and time at every start.
 */
export function loadLate<Module>(name: string): () => Module {
  let loaded: Module | undefined;
  return () => (loaded ??= load(name) as Module);
}
