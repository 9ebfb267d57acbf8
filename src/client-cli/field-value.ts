/**
 * Converts the texts that a field was given into its value. `type` is that of `FIELD_TYPES`, such as `null|string` or
 * `array<integer>`; an empty one is that of a field with JSON values, or of a field that the contract does not have.
 */
export function parseFieldValue(type: string, texts: readonly string[]): unknown {
  const items = /array<([^>]*)>/.exec(type)?.[1];
  const [text = ''] = texts;
  if (items === undefined) return texts.length > 1 ? texts.map((each) => valueOf(type, each)) : valueOf(type, text);
  const types = type.split('|');
  if (texts.length > 1) return texts.map((each) => valueOf(items, each));
  const json = jsonIn(text);
  if (Array.isArray(json) || (json === null && types.includes('null'))) return json;
  if (types.includes('string')) return text;
  // A list of IDs can be written with commas, as in a query. Texts can contain commas.
  return (items.includes('integer') ? text.split(',') : [text]).map((each) => valueOf(items, each));
}

/** Text fields take each value as a text, except `null` if they can be null. Other fields take JSON, if it is. */
function valueOf(type: string, text: string): unknown {
  const json = jsonIn(text);
  const types = type.split('|');
  if (!types.includes('string')) return json === undefined ? text : json;
  return isOtherType(types, json, text) ? json : text;
}

function isOtherType(types: readonly string[], json: unknown, text: string): boolean {
  switch (typeof json) {
    case 'number':
      // A number that is written otherwise, such as 1.10 or 007, would lose digits.
      return types.some((type) => type === 'integer' || type === 'number') && String(json) === text;
    case 'boolean':
      return types.includes('boolean');
    case 'object':
      return types.includes(json === null ? 'null' : 'object');
    default:
      return false;
  }
}

/** Returns undefined for a text that is not JSON. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
