import { deref, operationsOf, type Contract, type Schema } from '../contract/index.ts';

/**
 * Returns a copy of the contract that accepts any batch item. The route of each item validates it later, so one invalid
 * item fails alone. The published contract keeps the types of the items.
 */
export function withUncheckedItems(contract: Contract): Contract {
  const paths = { ...contract.paths };
  for (const { path, verb, operation } of operationsOf(contract)) {
    const { requestBody } = operation;
    if (operation['x-batch'] !== true || !requestBody) continue;
    const content: typeof requestBody.content = {};
    for (const [type, media] of Object.entries(requestBody.content))
      content[type] = { ...media, schema: withoutItemSchemas(contract, media.schema) };
    paths[path] = { ...paths[path], [verb]: { ...operation, requestBody: { ...requestBody, content } } };
  }
  return { ...contract, paths };
}

function withoutItemSchemas(contract: Contract, schema: Schema): Schema {
  const { items, properties, ...rest } = deref(contract, schema);
  if (items) return { ...rest, items: {} };
  const inner = Object.entries(properties ?? {}).map(
    ([name, each]) => [name, withoutItemSchemas(contract, each)] as const,
  );
  return properties ? { ...rest, properties: Object.fromEntries(inner) } : rest;
}
