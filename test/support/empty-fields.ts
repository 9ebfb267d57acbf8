/**
 * Returns the names of empty fields of a response: null, or an empty text, list or object. A field of list items is
 * empty if it is empty in all of them. A test names the fields that may be empty.
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
