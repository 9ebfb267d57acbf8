import { schemasOf, type Contract, type Schema } from './contract.ts';
import { deref } from './references.ts';

/**
 * Returns a contract in which the default of a referenced schema is repeated beside each `$ref` in `properties`. The
 * validator fills in a default beside a `$ref`, but not one in the referenced schema. Only named schemas are changed,
 * because every object of a contract is a named schema.
 */
export function withInlineDefaults<T extends Contract>(contract: T): T {
  const schemas = Object.entries(schemasOf(contract)).map(([name, schema]) => [name, withDefaults(contract, schema)]);
  return { ...contract, components: { ...contract.components, schemas: Object.fromEntries(schemas) as never } };
}

function withDefaults(contract: Contract, schema: Schema): Schema {
  const near = Object.entries(schema.properties ?? {}).flatMap(([name, field]): [string, Schema][] => {
    if (field.$ref === undefined || field.default !== undefined) return [];
    const { default: preset } = deref(contract, field);
    return preset === undefined ? [] : [[name, { default: preset, ...field }]];
  });
  return near.length === 0 ? schema : { ...schema, properties: { ...schema.properties, ...Object.fromEntries(near) } };
}
