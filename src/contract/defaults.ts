import { schemasOf, type Contract, type Schema } from './contract.ts';
import { deref } from './references.ts';

/**
 * Returns a contract in which the default of a referenced schema also stands beside each `$ref` in `properties`. The
 * validator fills in a default that stands there, and none behind a `$ref`.
 */
export function withNearDefaults<T extends Contract>(contract: T): T {
  const near = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(near);
    if (typeof node !== 'object' || node === null) return node;
    return Object.fromEntries(
      Object.entries(node).map(([key, value]) => [
        key,
        key === 'properties' ? fieldsWithDefaults(value as Record<string, Schema>) : near(value),
      ]),
    );
  };
  const fieldsWithDefaults = (properties: Record<string, Schema>): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(properties).map(([name, field]) => {
        const preset = field.$ref === undefined ? undefined : deref(contract, field).default;
        return [name, preset === undefined ? near(field) : { default: preset, ...field }];
      }),
    );
  return { ...contract, components: { ...contract.components, schemas: near(schemasOf(contract)) as never } };
}
