import { dereferenceSchemas, type Contract, type Schema } from '../../../contract/index.ts';

type Node = Record<string, unknown>;

/** Words without a counterpart in draft 4; a contract that uses one in an ability does not start. */
const UNSPEAKABLE = new Set([
  'propertyNames',
  'prefixItems',
  'if',
  'then',
  'else',
  'unevaluatedProperties',
  'dependentRequired',
]);

/**
 * Makes schemas of the contract readable for clients of discovery: every reference inlined, in the dialect (draft 4)
 * that they read.
 */
export function draftFourOf(contract: Contract): (schema: Schema) => Node {
  const inlined = dereferenceSchemas(contract);
  return (schema) => inDraftFour(inlined(schema)) as Node;
}

const valuesInDraftFour = (node: Node): Node =>
  Object.fromEntries(Object.entries(node).map(([name, value]) => [name, inDraftFour(value)]));

function inDraftFour(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  const out: Node = {};
  for (const [word, value] of Object.entries(schema as Node)) {
    if (UNSPEAKABLE.has(word)) throw new Error(`Discovery cannot say ${word} in draft 4.`);
    switch (word) {
      case 'properties':
      case 'patternProperties':
        out[word] = valuesInDraftFour(value as Node);
        break;
      case 'allOf':
      case 'anyOf':
      case 'oneOf':
        out[word] = (value as unknown[]).map(inDraftFour);
        break;
      case 'items':
      case 'additionalProperties':
      case 'not':
        out[word] = inDraftFour(value);
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
