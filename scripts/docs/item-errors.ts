/** Error codes of single items: those that the descriptions of the lists of errors in a response name. */
import {
  componentNameOf,
  deref,
  schemasOf,
  type Contract,
  type LocatedOperation,
  type Schema,
} from '../../src/contract/index.ts';

const ITEM = 'ItemError';
const CODE = /`(svc_\w+)`/g;

/** Returns the codes in the order of the schema `ItemErrorCode`: all of them if no list names any. */
export function itemErrorCodesOf(contract: Contract, { operation }: LocatedOperation): string[] {
  const lists = Object.entries(operation.responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, response]) => Object.values(deref(contract, response).content ?? {}))
    .flatMap(({ schema }) => descriptionsOfLists(contract, schema, '', []));
  if (lists.length === 0) return [];
  const named = new Set(lists.flatMap((text) => [...text.matchAll(CODE)].map(([, code]) => code)));
  const known = (schemasOf(contract)['ItemErrorCode']?.['x-extensible-enum'] ?? []) as string[];
  return named.size === 0 ? known : known.filter((code) => named.has(code));
}

/** `text` is the description of the list that encloses the schema, `ancestors` are the names of the enclosing schemas. */
function descriptionsOfLists(contract: Contract, schema: Schema, text: string, ancestors: readonly string[]): string[] {
  const name = componentNameOf(schema);
  if (name === ITEM) return [text];
  if (name !== undefined && ancestors.includes(name)) return [];
  const path = name === undefined ? ancestors : [...ancestors, name];
  const target = deref(contract, schema);
  const own = String(schema['description'] ?? target['description'] ?? text);
  const { items, properties = {}, anyOf = [], oneOf = [], allOf = [] } = target as Schema & { allOf?: Schema[] };
  return [...(items ? [items] : []), ...Object.values(properties), ...[anyOf, oneOf, allOf].flat()].flatMap((inner) =>
    descriptionsOfLists(contract, inner, own, path),
  );
}
