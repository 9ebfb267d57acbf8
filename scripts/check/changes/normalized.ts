import { schemasOf, withInlineDefaults, type Schema } from '../../../src/contract/index.ts';
import type { Comparable } from './pair.ts';

/** A contract in which every default stands beside its `$ref`, whichever form the document has. */
export function normalized(contract: Comparable): Comparable {
  const plain = withInlineDefaults(flattened(contract) as Comparable);
  const schemas = Object.entries(schemasOf(plain)).map(([name, { default: _, ...schema }]) => [name, schema]);
  return {
    ...plain,
    components: { ...plain.components, schemas: Object.fromEntries(schemas) as Record<string, Schema> },
  };
}

/** `allOf` with one member is that member, with what stands beside it. */
function flattened(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(flattened);
  if (typeof node !== 'object' || node === null) return node;
  const { allOf, ...rest } = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, flattened(value)]));
  if (!Array.isArray(allOf)) return allOf === undefined ? rest : { allOf, ...rest };
  return allOf.length === 1 ? { ...(allOf[0] as object), ...rest } : { allOf, ...rest };
}
