interface Reference {
  $ref?: string;
  /** With one member: a reference that has a default beside it, where generators accept no default beside a `$ref`. */
  allOf?: readonly Reference[];
}

/** What a reference within a document (`#/components/schemas/Site`) leads to; undefined where it leads nowhere. */
export function resolvePointer(document: object, reference: string): unknown {
  return reference
    .slice(2)
    .split('/')
    .reduce<unknown>((parent, key) => (parent as Record<string, unknown> | undefined)?.[unescaped(key)], document);
}

/** Returns the node itself, or what its reference leads to in the end. */
export function deref<T extends Reference>(document: object, node: T): T {
  let target: T = node;
  while (typeof target?.$ref === 'string') target = resolvePointer(document, target.$ref) as T;
  if (target?.allOf?.length !== 1) return target;
  const { allOf, ...beside } = target;
  return { ...deref(document, allOf[0] as T), ...beside };
}

/** The last part of a reference, which is the name of the component. */
export const componentNameOf = ({ $ref }: Reference): string | undefined => $ref?.split('/').at(-1);

/** Keys on the way to a node, as a JSON pointer. */
export const pointerOf = (...keys: readonly string[]): string =>
  keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** One key of a JSON pointer. */
export const unescaped = (key: string): string => key.replaceAll('~1', '/').replaceAll('~0', '~');
