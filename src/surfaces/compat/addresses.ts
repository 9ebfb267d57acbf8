/**
 * Addresses of the mount and what they are here: a tree by segment, in which a fixed segment goes before a parameter,
 * so that finding one costs a look-up for each segment however many there are.
 */
export interface Route<T> {
  /** Our path, with `{…}` for its parameters in the order in which the address has them. */
  path: string;
  of: T;
}

interface Node<T> {
  fixed: Map<string, Node<T>>;
  open: Node<T> | null;
  route: Route<T> | null;
}

export interface Match<T> {
  route: Route<T>;
  /** As they came, percent-encoding included. */
  parameters: string[];
}

export class Addresses<T> {
  readonly #root: Node<T> = emptyNode();

  /** The first that is added under an address stays. */
  add(address: string, route: Route<T>): void {
    let node = this.#root;
    for (const segment of segmentsOf(address))
      if (segment.startsWith('{')) node = node.open ??= emptyNode();
      else {
        const next = node.fixed.get(segment) ?? emptyNode();
        node.fixed.set(segment, next);
        node = next;
      }
    node.route ??= route;
  }

  find(address: string): Match<T> | null {
    const parameters: string[] = [];
    const route = search(this.#root, segmentsOf(address), 0, parameters);
    return route ? { route, parameters } : null;
  }
}

function emptyNode<T>(): Node<T> {
  return { fixed: new Map(), open: null, route: null };
}

/** A slash at the end says nothing. */
function segmentsOf(address: string): string[] {
  const segments = address.split('/');
  segments.shift();
  if (segments.at(-1) === '') segments.pop();
  return segments;
}

function search<T>(node: Node<T>, segments: readonly string[], at: number, parameters: string[]): Route<T> | null {
  const segment = segments[at];
  if (segment === undefined) return node.route;
  const fixed = node.fixed.get(segment);
  const route = fixed ? search(fixed, segments, at + 1, parameters) : null;
  if (route || !node.open || segment === '') return route;
  const length = parameters.push(segment);
  const openRoute = search(node.open, segments, at + 1, parameters);
  if (!openRoute) parameters.length = length - 1;
  return openRoute;
}

/** Our path with what stood in the address. */
export function filled(path: string, parameters: readonly string[]): string {
  let at = 0;
  return path.replace(/\{[^}]+\}/g, () => parameters[at++] ?? '');
}
