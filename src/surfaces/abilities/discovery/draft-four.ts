import { targetOf, type Contract, type Schema } from '../../../contract/index.ts';

type Node = Record<string, unknown>;

/** What only readers of the contract need. */
const DROPPED = /^(x-.*|examples?|deprecated|readOnly|writeOnly|discriminator|xml|externalDocs)$/;
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
  const done = new Map<string, Node>();

  const byReference = (reference: string, open: readonly string[]): Node => {
    if (open.includes(reference)) throw new Error(`Discovery cannot inline the recursive schema ${reference}.`);
    const kept = done.get(reference);
    if (kept) return kept;
    const target = targetOf(contract, reference);
    if (target === undefined) throw new Error(`${reference} leads nowhere.`);
    const inlined = walk(target, [...open, reference]) as Node;
    done.set(reference, inlined);
    return inlined;
  };

  const walkValues = (node: Node, open: readonly string[]): Node =>
    Object.fromEntries(Object.entries(node).map(([name, value]) => [name, walk(value, open)]));

  function walk(schema: unknown, open: readonly string[]): unknown {
    if (typeof schema !== 'object' || schema === null) return schema;
    const { $ref, ...own } = schema as Node & { $ref?: string };
    const out: Node = $ref ? { ...byReference($ref, open) } : {};
    for (const [word, value] of Object.entries(own)) {
      if (DROPPED.test(word)) continue;
      if (UNSPEAKABLE.has(word)) throw new Error(`Discovery cannot say ${word} in draft 4.`);
      switch (word) {
        case 'properties':
        case 'patternProperties':
          out[word] = walkValues(value as Node, open);
          break;
        case 'allOf':
        case 'anyOf':
        case 'oneOf':
          out[word] = (value as unknown[]).map((each) => walk(each, open));
          break;
        case 'items':
        case 'additionalProperties':
        case 'not':
          out[word] = walk(value, open);
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

  return (schema) => walk(schema, []) as Node;
}
