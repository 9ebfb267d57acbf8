import { deref, operationsOf, type Contract, type Schema } from './contract.ts';

/**
 * A contract by which the items of a batch may be anything: each is checked by the route that it goes to, so that one that is
 * wrong fails alone. Published they have the type of that route.
 */
export function withOpenItems(contract: Contract): Contract {
  const paths = Object.fromEntries(
    Object.entries(contract.paths).map(([path, item]) => {
      const opened = operationsOf({ ...contract, paths: { [path]: item } }).flatMap(({ verb, operation }) => {
        if (operation['x-batch'] !== true || !operation.requestBody) return [];
        const content = Object.entries(operation.requestBody.content).map(([type, media]) => [
          type,
          { ...media, schema: opening(contract, media.schema) },
        ]);
        return [
          [verb, { ...operation, requestBody: { ...operation.requestBody, content: Object.fromEntries(content) } }],
        ];
      });
      return [path, { ...item, ...Object.fromEntries(opened) }];
    }),
  ) as Contract['paths'];
  return { ...contract, paths };
}

/** The lists of a body, and those of the groups in it, without a word on their items. */
function opening(contract: Contract, schema: Schema): Schema {
  const { items, properties, ...rest } = deref(contract, schema);
  if (items) return { ...rest, items: {} };
  const inner = Object.entries(properties ?? {}).map(([name, each]) => [name, opening(contract, each)] as const);
  return properties ? { ...rest, properties: Object.fromEntries(inner) } : rest;
}
