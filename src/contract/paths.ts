/** The first group is the name of the ability. */
export const ABILITY_PATH = /^\/svc\/([^/]+)\/run\/?$/;

export function patternOf(path: string): RegExp {
  const source = path
    .split('/')
    .map((part) => (part.startsWith('{') ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')))
    .join('/');
  return new RegExp(`^${source}/?$`);
}

/** If several paths match a URL, the path with the fewest parameters wins. */
export const parameterCount = (path: string): number => path.match(/\{/g)?.length ?? 0;
