interface Reference {
  $ref?: string;
  /** An `allOf` with one member is a reference with a default: some generators accept no default beside a `$ref`. */
  allOf?: readonly Reference[];
}

export function resolvePointer(document: object, reference: string): unknown {
  return reference
    .slice(2)
    .split('/')
    .reduce<unknown>(
      (parent, key) => (parent as Record<string, unknown> | undefined)?.[unescapePointerKey(key)],
      document,
    );
}

export function deref<T extends Reference>(document: object, node: T): T {
  let target: T = node;
  while (typeof target?.$ref === 'string') target = resolvePointer(document, target.$ref) as T;
  if (target?.allOf?.length !== 1) return target;
  const { allOf, ...beside } = target;
  return { ...deref(document, allOf[0] as T), ...beside };
}

export const componentNameOf = ({ $ref }: Reference): string | undefined => $ref?.split('/').at(-1);

export const jsonPointerOf = (...keys: readonly string[]): string =>
  keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

export const unescapePointerKey = (key: string): string => key.replaceAll('~1', '/').replaceAll('~0', '~');
