import { isNode, changed, type Node, type Source } from './source.ts';

type Fields = Record<string, string | null>;

const PAGE_FIELDS: Fields = { total: 'Total', page: 'Page', per_page: 'PerPage', pages: 'Pages' };
/**
 * What answers of each kind begin and end with, by the name of the field in openapi/v2/fields.yaml; `data` is their
 * own.
 */
const ENVELOPES: Record<string, { first: Fields; last?: Fields }> = {
  read: { first: { success: 'Success' } },
  written: { first: { success: 'Success', message: 'Message' } },
  list: { first: { success: 'Success', data: null, ...PAGE_FIELDS } },
  page: { first: { success: 'Success' }, last: PAGE_FIELDS },
};
const PAGE = { total: 1, page: 1, per_page: 20, pages: 1 };
const PAGE_HEADERS = { 'X-WP-Total': 'TotalHeader', 'X-WP-TotalPages': 'TotalPagesHeader', Link: 'LinkHeader' };

/**
 * `x-envelope` at a schema: an answer of v2 that begins and ends as all of its kind do. `x-paged` at an answer: a page
 * of a list, with its headers, and with its numbers in the example: behind the data, or with `last` at the end.
 */
export function withEnvelopes(name: string, source: Source): Source {
  const shared = (field: string): Node => ({
    $ref: `${/^v2\/fields\.yaml$/.test(name) ? '' : '../fields.yaml'}#/${field}`,
  });
  const settle = (node: Node): unknown => {
    if (node['x-envelope'] !== undefined) return enveloped(node, shared);
    if (node['x-paged'] !== undefined) return paged(node, shared);
    return node;
  };
  return changed(source, settle) as Source;
}

function enveloped(node: Node, shared: (field: string) => Node): Node {
  const { 'x-envelope': kind, 'x-optional': optional = [], description, properties } = node;
  const envelope = ENVELOPES[kind as string];
  if (!envelope || !isNode(properties)) throw new Error(`There is no envelope ${String(kind)}, or it holds nothing.`);
  const fieldsOf = (fields: Fields = {}): Node =>
    Object.fromEntries(
      Object.entries(fields).map(([field, of]) => [field, of === null ? properties[field] : shared(of)]),
    );
  const all = { ...fieldsOf(envelope.first), ...properties, ...fieldsOf(envelope.last) };
  const required = Object.keys(all).filter((field) => !(optional as string[]).includes(field));
  return { type: 'object', description, additionalProperties: false, required, properties: all };
}

interface Content {
  'application/json': { schema: Node; example: Node };
}

function paged(answer: Node, shared: (field: string) => Node): Node {
  const {
    'x-paged': place,
    description,
    content,
  } = answer as { 'x-paged': true | 'last'; description: string; content: Content };
  const { schema, example } = content['application/json'];
  const { data, ...rest } = example;
  const numbered = place === 'last' ? { ...rest, ...PAGE, ...rest } : { ...PAGE, ...rest };
  return {
    description,
    headers: Object.fromEntries(Object.entries(PAGE_HEADERS).map(([header, field]) => [header, shared(field)])),
    content: { 'application/json': { schema, example: { success: 1, data, ...numbered } } },
  };
}
