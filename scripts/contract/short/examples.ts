import { posix } from 'node:path';
import { changed, isNode, type Node, type Source, type Sources } from './source.ts';

/**
 * `x-example: fields.yaml#/Tag` in an example stands for a whole record: each field shows its own first example, or
 * what `x-example` at the schema of the record says instead. What stands beside it is other here, and a field that
 * `x-without` names is left out. So a new field of a record shows in all examples of it.
 */
export function withExamples(name: string, source: Source, sources: Sources): Source {
  const settle = (node: Node): Node => {
    const { 'x-example': record, 'x-without': without = [], ...beside } = node;
    // The schema of a record says what is special about its example.
    if (isNode(record)) return beside;
    if (typeof record !== 'string') return node;
    const fields = Object.entries({ ...recordOf(sources, { name, source }, record), ...beside });
    return Object.fromEntries(fields.filter(([field]) => !(without as string[]).includes(field)));
  };
  return changed(source, settle) as Source;
}

interface Place {
  name: string;
  source: Source;
}

/** What a reference out of a file leads to, and the file that it lies in. */
function follow(sources: Sources, { name, source }: Place, reference: string): [Node, Place] {
  const [file = '', key = ''] = reference.split('#/');
  const other = file === '' ? name : posix.join(posix.dirname(name), file);
  const place = { name: other, source: file === '' ? source : (sources.get(other) ?? {}) };
  const node = place.source[key];
  if (!node) throw new Error(`${name}: ${reference} leads nowhere.`);
  return [node, place];
}

function recordOf(sources: Sources, from: Place, reference: string): Node {
  const [schema, place] = follow(sources, from, reference);
  const { properties = {}, 'x-example': special = {} } = schema as Record<string, Node | undefined>;
  const shown = Object.entries(properties).map(([field, of]) => [
    field,
    field in special ? special[field] : firstOf(sources, place, of as Node),
  ]);
  return Object.fromEntries(shown) as Node;
}

function firstOf(sources: Sources, from: Place, schema: Node): unknown {
  const { $ref, examples, enum: values } = schema as { $ref?: string; examples?: unknown[]; enum?: unknown[] };
  const first = examples?.[0] ?? values?.[0];
  if (first !== undefined || $ref === undefined) return first;
  const [node, place] = follow(sources, from, $ref);
  return firstOf(sources, place, node);
}
