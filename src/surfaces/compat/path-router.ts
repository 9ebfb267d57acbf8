export interface Route<T> {
  /** Path of this service. Its `{…}` parameters have the same order as in the path of MainWP Dashboard. */
  path: string;
  target: T;
}

interface PathTreeNode<T> {
  fixed: Map<string, PathTreeNode<T>>;
  open: PathTreeNode<T> | null;
  route: Route<T> | null;
}

export interface RouteMatch<T> {
  route: Route<T>;
  /** As sent, still percent-encoded. */
  parameters: string[];
}

export class PathRouter<T> {
  readonly #root: PathTreeNode<T> = emptyPathTreeNode();

  /**
   * Adds a route for an address of MainWP Dashboard. The first route of an address wins. A fixed segment wins over a
   * parameter. A lookup takes one step per segment.
   */
  add(address: string, route: Route<T>): void {
    let node = this.#root;
    for (const segment of pathSegmentsOf(address))
      if (segment.startsWith('{')) node = node.open ??= emptyPathTreeNode();
      else {
        const next = node.fixed.get(segment) ?? emptyPathTreeNode();
        node.fixed.set(segment, next);
        node = next;
      }
    node.route ??= route;
  }

  find(address: string): RouteMatch<T> | null {
    const parameters: string[] = [];
    const route = searchTree(this.#root, pathSegmentsOf(address), 0, parameters);
    return route ? { route, parameters } : null;
  }
}

function emptyPathTreeNode<T>(): PathTreeNode<T> {
  return { fixed: new Map(), open: null, route: null };
}

function pathSegmentsOf(address: string): string[] {
  const segments = address.split('/');
  segments.shift();
  if (segments.at(-1) === '') segments.pop();
  return segments;
}

function searchTree<T>(
  node: PathTreeNode<T>,
  segments: readonly string[],
  at: number,
  parameters: string[],
): Route<T> | null {
  const segment = segments[at];
  if (segment === undefined) return node.route;
  const fixed = node.fixed.get(segment);
  const route = fixed ? searchTree(fixed, segments, at + 1, parameters) : null;
  if (route || !node.open || segment === '') return route;
  const length = parameters.push(segment);
  const openRoute = searchTree(node.open, segments, at + 1, parameters);
  if (!openRoute) parameters.length = length - 1;
  return openRoute;
}

export function fillPath(path: string, parameters: readonly string[]): string {
  let at = 0;
  return path.replace(/\{[^}]+\}/g, () => parameters[at++] ?? '');
}
