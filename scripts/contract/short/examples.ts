import { posix } from 'node:path';
import { targetOf } from '../../../src/contract/index.ts';
import { changed, isNode, type Node, type Source, type Sources } from './source.ts';

/**
 * `x-example: fields.yaml#/Tag` in an example stands for a whole record: each field shows its own first example, or
 * what `x-example` at the schema of the record says instead. A record or a list within it shows its own in the same
 * way, where it must be there. What stands beside it is other here, and a field that `x-without` names is left out.
 * `x-without` in what the schema says leaves fields out of all examples but those that have them beside it, or name
 * them in `x-with`. So a new field of a record shows in all examples of it, or in none.
 */
export const withExamples = (name: string, source: Source, sources: Sources): Source =>
  settled(sources, { name, source }, source) as Source;

const settled = (sources: Sources, place: Place, value: unknown): unknown =>
  changed(value, (node) => {
    const { 'x-example': record, 'x-with': also = [], 'x-without': without = [], ...beside } = node;
    // The schema of a record says what is special about its example.
    if (isNode(record)) return beside;
    if (typeof record !== 'string') return node;
    const [schema, where] = follow(sources, place, record);
    const shown = [...(also as string[]), ...Object.keys(beside)];
    const fields = Object.entries({ ...recordOf(sources, where, schema, shown), ...beside });
    return Object.fromEntries(fields.filter(([field]) => !(without as string[]).includes(field)));
  });

interface Place {
  name: string;
  source: Source;
}

/** What a reference out of a file leads to, and the file that it lies in. */
function follow(sources: Sources, { name, source }: Place, reference: string): [Node, Place] {
  const [file = '', key = ''] = reference.split('#/');
  const other = file === '' ? name : posix.join(posix.dirname(name), file);
  const place = { name: other, source: file === '' ? source : (sources.get(other) ?? {}) };
  const node = targetOf(place.source, `#/${key}`) as Node | undefined;
  if (!node) throw new Error(`${name}: ${reference} leads nowhere.`);
  return [node, place];
}

interface Schema {
  $ref?: string;
  examples?: unknown[];
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, Node>;
  required?: string[];
  items?: Node;
  anyOf?: Node[];
  'x-example'?: Node;
}

/** What a record shows: of each field its first example, and of a field that must be there the record in it. */
function recordOf(sources: Sources, place: Place, schema: Node, shown: readonly string[] = []): Node {
  const { properties = {}, required = [], 'x-example': special = {} } = schema as Schema;
  const { 'x-without': without = [], ...own } = settled(sources, place, special) as Node;
  const hidden = (without as string[]).filter((field) => !shown.includes(field));
  const fields = Object.entries(properties).map(([field, of]) => {
    const value = field in own ? own[field] : firstOf(sources, place, of, required.includes(field));
    return [field, value] as const;
  });
  return Object.fromEntries(fields.filter(([field, value]) => value !== undefined && !hidden.includes(field)));
}

function firstOf(sources: Sources, place: Place, schema: Node, inside: boolean): unknown {
  const { $ref, examples, enum: values, const: only, properties, items, anyOf } = schema as Schema;
  const first = examples?.[0] ?? values?.[0] ?? only;
  if (first !== undefined) return settled(sources, place, first);
  if ($ref !== undefined) {
    const [node, where] = follow(sources, place, $ref);
    return firstOf(sources, where, node, inside);
  }
  if (!inside) return undefined;
  if (anyOf?.[0]) return firstOf(sources, place, anyOf[0], true);
  if (properties) return recordOf(sources, place, schema);
  return items ? [firstOf(sources, place, items, true)] : undefined;
}
