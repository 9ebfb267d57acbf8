/** Path of an ability inside its surface; the name is the first group. */
export const ABILITY_PATH = /^\/svc\/([^/]+)\/run\/?$/;

/** One segment for each parameter; what is fixed is matched as it stands. */
export function patternOf(path: string): RegExp {
  const source = path
    .split('/')
    .map((part) => (part.startsWith('{') ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')))
    .join('/');
  return new RegExp(`^${source}/?$`);
}

/** How many parameters a path has: of two that fit an address the one with fewer is meant. */
export const parameterCount = (path: string): number => path.match(/\{/g)?.length ?? 0;
