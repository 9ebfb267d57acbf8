/** Returns the value of the header `Allow`. Every route has OPTIONS, and every route with GET has HEAD. */
export function allowHeader(verbs: readonly string[]): string {
  const methods = verbs.map((verb) => verb.toUpperCase());
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].sort().join(', ');
}
