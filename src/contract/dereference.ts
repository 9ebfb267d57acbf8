import type { Contract, Schema } from './contract.ts';
import { resolvePointer } from './references.ts';

type Node = Record<string, unknown>;

const DROPPED = /^(x-.*|examples?|deprecated|readOnly|writeOnly|discriminator|xml|externalDocs)$/;
/** The keys of these objects are field names, not keywords of JSON Schema, so none of them is dropped. */
const NAMED = new Set(['properties', 'patternProperties']);

/** Makes schemas self-contained: references are inlined and annotations are dropped. Throws for a recursive schema. */
export function dereferenceSchemas(contract: Contract): (schema: Schema) => Node {
  const done = new Map<string, Node>();

  const byReference = (reference: string, open: readonly string[]): Node => {
    if (open.includes(reference)) throw new Error(`The recursive schema ${reference} cannot be inlined.`);
    const kept = done.get(reference);
    if (kept) return kept;
    const target = resolvePointer(contract, reference);
    if (target === undefined) throw new Error(`The reference ${reference} does not exist.`);
    const inlined = walk(target, [...open, reference]) as Node;
    done.set(reference, inlined);
    return inlined;
  };

  const walkNamed = (named: Node, open: readonly string[]): Node =>
    Object.fromEntries(Object.entries(named).map(([name, value]) => [name, walk(value, open)]));

  function walk(schema: unknown, open: readonly string[]): unknown {
    if (Array.isArray(schema)) return schema.map((each) => walk(each, open));
    if (typeof schema !== 'object' || schema === null) return schema;
    const { $ref, ...own } = schema as Node & { $ref?: string };
    const out: Node = $ref ? { ...byReference($ref, open) } : {};
    for (const [word, value] of Object.entries(own)) {
      if (DROPPED.test(word)) continue;
      if (word === 'default' || word === 'enum' || word === 'const') out[word] = value;
      else out[word] = NAMED.has(word) ? walkNamed(value as Node, open) : walk(value, open);
    }
    return out;
  }

  return (schema) => walk(schema, []) as Node;
}
