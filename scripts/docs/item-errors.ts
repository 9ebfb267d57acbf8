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

/** `text` is the description of the enclosing list, and `ancestors` are the names of the enclosing schemas. */
function descriptionsOfLists(contract: Contract, schema: Schema, text: string, ancestors: readonly string[]): string[] {
  const name = componentNameOf(schema);
  if (name === ITEM) return [text];
  if (name !== undefined && ancestors.includes(name)) return [];
  const path = name === undefined ? ancestors : [...ancestors, name];
  const target = deref(contract, schema);
  const description = schema['description'] ?? target['description'];
  const own = typeof description === 'string' ? description : text;
  const { items, properties = {}, anyOf = [], oneOf = [], allOf = [] } = target as Schema & { allOf?: Schema[] };
  return [...(items ? [items] : []), ...Object.values(properties), ...[anyOf, oneOf, allOf].flat()].flatMap((inner) =>
    descriptionsOfLists(contract, inner, own, path),
  );
}

/**
 * Rewrites the explanation of an error for an item, which has no `data`: some of its fields are fields of the item, and
 * sentences about the others are removed.
 */
export const itemExplanation = (text: string): string =>
  text
    .replace(/`data\.(reason|child_message)`/g, '`$1`')
    .replace('If there is a `data.job_id`', 'If there is a `job_id`')
    .split(/(?<=\.)\s+/)
    .filter((sentence) => !/`data\.|Retry-After/.test(sentence))
    .join(' ');
