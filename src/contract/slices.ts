import { basePathOf, type Contract, type PathItem } from './contract.ts';
import { parameterCount, patternOf } from './paths.ts';

/**
 * Paths that one validator knows. It walks its paths for every request and compiles all their components with each
 * operation, so that a whole contract in one validator makes every call, and every first call, pay for all the others.
 */
const PATHS_A_SLICE = 8;

/** Cuts a contract into small ones, each with the components that its paths reach. */
export function sliceContract(contract: Contract): Contract[] {
  const paths = Object.entries(contract.paths);
  return Array.from({ length: Math.ceil(paths.length / PATHS_A_SLICE) }, (_, index) => {
    const own = Object.fromEntries(paths.slice(index * PATHS_A_SLICE, (index + 1) * PATHS_A_SLICE));
    return { ...contract, paths: own, components: reachable(contract, own) };
  });
}

function reachable(contract: Contract, paths: Record<string, PathItem>): Contract['components'] {
  const { securitySchemes } = contract.components;
  const components: Contract['components'] = securitySchemes ? { securitySchemes } : {};
  const collect = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { $ref } = node as { $ref?: unknown };
    if (typeof $ref === 'string') {
      const [, , kind = '', name = ''] = $ref.split('/');
      const kept = (components[kind] ??= {});
      if (name in kept) return;
      collect((kept[name] = contract.components[kind]?.[name]));
    }
    for (const value of Object.values(node)) collect(value);
  };
  collect(paths);
  return components;
}

/**
 * Finds the slice in which a path is answered: at once for a fixed path, among those of equal length for one with
 * parameters, of which the one with the fewest goes first.
 */
export function sliceFinder(contract: Contract, slices: readonly Contract[]): (path: string) => number | null {
  const base = basePathOf(contract);
  const fixed = new Map<string, number>();
  const open = new Map<number, { pattern: RegExp; parameters: number; slice: number }[]>();
  slices.forEach((slice, index) => {
    for (const path of Object.keys(slice.paths)) {
      const whole = trimmed(base + path);
      if (!path.includes('{')) fixed.set(whole, index);
      else {
        const length = whole.split('/').length;
        open.set(length, [
          ...(open.get(length) ?? []),
          { pattern: patternOf(whole), parameters: parameterCount(whole), slice: index },
        ]);
      }
    }
  });
  for (const all of open.values()) all.sort((left, right) => left.parameters - right.parameters);
  return (path) => {
    const wanted = trimmed(path);
    const index = fixed.get(wanted);
    if (index !== undefined) return index;
    return open.get(wanted.split('/').length)?.find(({ pattern }) => pattern.test(wanted))?.slice ?? null;
  };
}

const trimmed = (path: string): string => (path.endsWith('/') ? path.slice(0, -1) : path);
