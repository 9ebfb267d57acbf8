import { basePathOf, type Contract, type PathItem } from './contract.ts';
import { parameterCount, pathPatternOf } from './path-patterns.ts';

/**
 * Number of paths per validator. A validator walks its paths for every request and compiles all its components with
 * each operation, so a validator for the whole contract would be slow for every call.
 */
const PATHS_A_SLICE = 8;

export function sliceContract(contract: Contract): Contract[] {
  const paths = Object.entries(contract.paths);
  return Array.from({ length: Math.ceil(paths.length / PATHS_A_SLICE) }, (_, index) => {
    const own = Object.fromEntries(paths.slice(index * PATHS_A_SLICE, (index + 1) * PATHS_A_SLICE));
    return { ...contract, paths: own, components: reachableComponents(contract, own) };
  });
}

function reachableComponents(contract: Contract, paths: Record<string, PathItem>): Contract['components'] {
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
 * Finds the slice that serves a path. A fixed path wins over paths with parameters, and of these, the path with the
 * fewest parameters wins.
 */
export function createSliceFinder(contract: Contract, slices: readonly Contract[]): (path: string) => number | null {
  const base = basePathOf(contract);
  const fixed = new Map<string, number>();
  const open = new Map<number, { pattern: RegExp; parameters: number; slice: number }[]>();
  slices.forEach((slice, index) => {
    for (const path of Object.keys(slice.paths)) {
      const whole = withoutTrailingSlash(base + path);
      if (!path.includes('{')) fixed.set(whole, index);
      else {
        const length = whole.split('/').length;
        open.set(length, [
          ...(open.get(length) ?? []),
          { pattern: pathPatternOf(whole), parameters: parameterCount(whole), slice: index },
        ]);
      }
    }
  });
  for (const all of open.values()) all.sort((left, right) => left.parameters - right.parameters);
  return (path) => {
    const wanted = withoutTrailingSlash(path);
    const index = fixed.get(wanted);
    if (index !== undefined) return index;
    return open.get(wanted.split('/').length)?.find(({ pattern }) => pattern.test(wanted))?.slice ?? null;
  };
}

const withoutTrailingSlash = (path: string): string => (path.endsWith('/') ? path.slice(0, -1) : path);
