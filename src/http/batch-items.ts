import { deref, operationsOf, type Contract, type Schema } from '../contract/index.ts';

/**
 * A contract by which the items of a batch may be anything: each is checked by the route that it goes to, so that one
 * that is wrong fails alone. Published they have the type of that route.
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

/** The lists of a body, and those of the groups in it, without a word on their items. */
function withoutItemSchemas(contract: Contract, schema: Schema): Schema {
  const { items, properties, ...rest } = deref(contract, schema);
  if (items) return { ...rest, items: {} };
  const inner = Object.entries(properties ?? {}).map(
    ([name, each]) => [name, withoutItemSchemas(contract, each)] as const,
  );
  return properties ? { ...rest, properties: Object.fromEntries(inner) } : rest;
}
