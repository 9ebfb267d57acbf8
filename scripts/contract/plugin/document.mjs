export const VERBS = ['get', 'put', 'post', 'patch', 'delete'];

export const schemaRef = (name) => ({ $ref: `#/components/schemas/${name}` });

/** The last segment of a reference: the name of the component. */
export const nameOf = ({ $ref }) => $ref?.split('/').at(-1);

/** All operations of a bundled document with their path, verb and path item. */
export const operationsOf = (root) =>
  Object.entries(root.paths).flatMap(([path, item]) =>
    VERBS.flatMap((verb) => (item[verb] ? [{ path, verb, item, operation: item[verb] }] : [])),
  );

/** Follows references. Keywords beside a `$ref` override those of its target. */
export function resolved(root, schema) {
  let node = schema;
  while (node.$ref) {
    const { $ref, ...beside } = node;
    const [, , kind, name] = $ref.split('/');
    node = { ...root.components[kind][name], ...beside };
  }
  return node;
}
