import { schemasOf, withInlineDefaults, type Schema } from '../../contract/index.ts';
import type { ComparableContract } from './pair.ts';

/**
 * Moves the default of each referenced schema beside the `$ref`. A default beside the `$ref` and one in the schema then
 * compare as equal.
 */
export function normalizeContract(contract: ComparableContract): ComparableContract {
  const plain = withInlineDefaults(sortNode(contract) as ComparableContract);
  const schemas = Object.entries(schemasOf(plain)).map(([name, { default: _, ...schema }]) => [name, schema]);
  return {
    ...plain,
    components: { ...plain.components, schemas: Object.fromEntries(schemas) as Record<string, Schema> },
  };
}

/** Replaces an `allOf` with one member by the member and the keywords beside it. */
function sortNode(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(sortNode);
  if (typeof node !== 'object' || node === null) return node;
  const { allOf, ...rest } = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, sortNode(value)]));
  if (!Array.isArray(allOf)) return allOf === undefined ? rest : { allOf, ...rest };
  return allOf.length === 1 ? { ...(allOf[0] as object), ...rest } : { allOf, ...rest };
}
