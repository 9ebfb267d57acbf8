/**
 * Converts the texts that were given for a field into its value. `type` comes from `FIELD_TYPES`, such as `null|string`
 * or `array<integer>`. It is empty for a field that takes any JSON, and for a field that the contract does not have.
 */
export function parseFieldValue(type: string, texts: readonly string[], isInQuery = false): unknown {
  const items = /array<([^>]*)>/.exec(type)?.[1];
  const [text = ''] = texts;
  if (items === undefined) return texts.length > 1 ? texts.map((each) => valueOf(type, each)) : valueOf(type, text);
  const types = type.split('|');
  if (texts.length > 1) return texts.map((each) => valueOf(items, each));
  const json = jsonIn(text);
  if (Array.isArray(json) || (json === null && types.includes('null'))) return json;
  if (types.includes('string')) return text;
  // A list of IDs, or one in a query, can be a single text with commas. Other texts are not split, because they can
  // contain commas.
  return (isInQuery || items.includes('integer') ? text.split(',') : [text]).map((each) => valueOf(items, each));
}

/**
 * Converts a single text. If the field takes strings, the value is the text, except for JSON of another type that the
 * field takes too, such as `null`. If the field takes no strings, the value is the parsed JSON, or the text if it is
 * not JSON.
 */
function valueOf(type: string, text: string): unknown {
  const json = jsonIn(text);
  const types = type.split('|');
  if (!types.includes('string')) return json === undefined ? text : json;
  return isOtherType(types, json, text) ? json : text;
}

function isOtherType(types: readonly string[], json: unknown, text: string): boolean {
  switch (typeof json) {
    case 'number':
      // A text such as 1.10 or 007 is not converted, because the number would lose digits.
      return types.some((type) => type === 'integer' || type === 'number') && String(json) === text;
    case 'boolean':
      return types.includes('boolean');
    case 'object':
      return types.includes(json === null ? 'null' : 'object');
    default:
      return false;
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
