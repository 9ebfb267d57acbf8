import { dereferenceSchemas, type Contract, type Schema } from '../../../contract/index.ts';

type Node = Record<string, unknown>;

/** JSON Schema keywords without a counterpart in draft 4. The service does not start if an ability uses one. */
const UNSUPPORTED_KEYWORDS = new Set([
  'propertyNames',
  'prefixItems',
  'if',
  'then',
  'else',
  'unevaluatedProperties',
  'dependentRequired',
]);

/**
 * Creates a converter to draft 4, which discovery clients read. References are inlined, because they would point
 * outside the response.
 */
export function createDraft4Converter(contract: Contract): (schema: Schema) => Node {
  const inlined = dereferenceSchemas(contract);
  return (schema) => toDraft4(inlined(schema)) as Node;
}

const namedSchemasToDraft4 = (node: Node): Node =>
  Object.fromEntries(Object.entries(node).map(([name, value]) => [name, toDraft4(value)]));

function toDraft4(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  const out: Node = {};
  for (const [word, value] of Object.entries(schema as Node)) {
    if (UNSUPPORTED_KEYWORDS.has(word)) throw new Error(`Discovery cannot say ${word} in draft 4.`);
    switch (word) {
      case 'properties':
      case 'patternProperties':
        out[word] = namedSchemasToDraft4(value as Node);
        break;
      case 'allOf':
      case 'anyOf':
      case 'oneOf':
        out[word] = (value as unknown[]).map(toDraft4);
        break;
      case 'items':
      case 'additionalProperties':
      case 'not':
        out[word] = toDraft4(value);
        break;
      case 'const':
        out['enum'] = [value];
        break;
      case 'exclusiveMinimum':
      case 'exclusiveMaximum':
        out[word === 'exclusiveMinimum' ? 'minimum' : 'maximum'] = value;
        out[word] = true;
        break;
      case 'required':
        if ((value as unknown[]).length > 0) out['required'] = value;
        break;
      default:
        out[word] = value;
    }
  }
  return out;
}
