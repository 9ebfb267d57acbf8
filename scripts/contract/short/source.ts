/** A node of a source. */
export type Node = Record<string, unknown>;

/** A file of openapi/: its paths, schemas and parameters by name. */
export type Source = Record<string, Node>;

/** All sources, by their place under openapi/. */
export type Sources = ReadonlyMap<string, Source>;

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A copy with all nodes changed, the innermost first. */
export function changed(value: unknown, change: (node: Node) => unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => changed(each, change));
  if (!isNode(value)) return value;
  return change(Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, changed(inner, change)])));
}
