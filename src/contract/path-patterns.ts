export const ABILITY_PATH = /^\/svc\/([^/]+)\/run\/?$/;

export function pathPatternOf(path: string): RegExp {
  const source = path
    .split('/')
    .map((part) => (part.startsWith('{') ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')))
    .join('/');
  return new RegExp(`^${source}/?$`);
}

export const parameterCount = (path: string): number => path.match(/\{/g)?.length ?? 0;
