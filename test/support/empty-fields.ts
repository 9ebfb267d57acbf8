/**
 * Names of the fields of an answer that hold nothing: null, or an empty text, list or object. A field of the items of a
 * list counts when it holds nothing in any of them. So a test tells by name which fields may be empty, and no other is.
 */
export function emptyFields(value: unknown): string[] {
  const filled = new Map<string, boolean>();
  visit(value, '', filled);
  return [...filled].flatMap(([path, isFilled]) => (isFilled ? [] : [path])).sort();
}

function visit(value: unknown, path: string, filled: Map<string, boolean>): void {
  const children: [string, unknown][] = Array.isArray(value)
    ? value.map((item: unknown) => [`${path}[]`, item])
    : Object.entries(value ?? {}).map(([name, field]) => [path === '' ? name : `${path}.${name}`, field]);
  const isOpen = typeof value === 'object' && value !== null;
  const holds = isOpen ? children.length > 0 : value !== null && value !== '';
  if (path !== '' && !path.endsWith('[]')) filled.set(path, filled.get(path) === true || holds);
  if (isOpen) for (const [at, child] of children) visit(child, at, filled);
}
