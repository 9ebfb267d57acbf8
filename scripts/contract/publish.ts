import { schemasOf, type Schema } from '../../src/contract/index.ts';
import type { Document } from './document.ts';
import { isEnum, nameEnums } from './name-enums.ts';

type Node = Record<string, unknown>;

/** Keywords whose value is an object by name: what stands there as a key is no keyword, whatever it is called. */
const BY_NAME = new Set(['properties', 'patternProperties', 'responses', 'headers', 'content']);
/** Keywords whose value is data. */
const DATA = new Set(['example', 'examples', 'default', 'const', 'enum', 'required']);
const SCHEMAS = '#/components/schemas/';

/**
 * A document as it is served, put so that generators of every language make code that compiles and reads well:
 * - what a text may be has a name; constants and enums of numbers stand where they are used, because a type of them
 *   says less than the number;
 * - an object has no default, which Go cannot write down; the service fills a missing input in by itself;
 * - an integer beyond 32 bits says so, because that is what an integer has in Go otherwise.
 */
export function published(bundled: Document): Document {
  const document = nameEnums(bundled);
  const { schemas: _schemas, ...kinds } = document.components;
  const schemas = schemasOf(document);
  const isValue = ([, schema]: [string, Schema]): boolean => 'const' in schema || ('enum' in schema && !isEnum(schema));
  const values = new Map<string, Node>(Object.entries(schemas).filter(isValue));
  const settle = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(settle);
    if (typeof node !== 'object' || node === null) return node;
    const { $ref, ...beside } = node as Node;
    const target = typeof $ref === 'string' ? values.get($ref.replace(SCHEMAS, '')) : undefined;
    const keywords = Object.entries(target ? { ...target, ...beside } : node).filter(isWritable);
    return {
      ...widened(node as Node),
      ...Object.fromEntries(keywords.map(([key, value]) => [key, inside(key, value)])),
    };
  };
  const inside = (key: string, value: unknown): unknown => {
    if (DATA.has(key)) return value;
    return BY_NAME.has(key) && !Array.isArray(value) ? mapValues(value as Node, settle) : settle(value);
  };
  const named = Object.fromEntries(Object.entries(schemas).filter(([name]) => !values.has(name)));
  return {
    ...document,
    paths: mapValues(document.paths, settle) as Document['paths'],
    components: mapValues({ schemas: named, ...kinds }, (kind) =>
      mapValues(kind as Node, settle),
    ) as Document['components'],
  };
}

const mapValues = (all: Node, change: (value: unknown) => unknown): Node =>
  Object.fromEntries(Object.entries(all).map(([name, value]) => [name, change(value)]));

const LARGEST_OF_32_BITS = 2 ** 31 - 1;
const widened = ({ type, maximum }: Node): Node =>
  type === 'integer' && typeof maximum === 'number' && maximum > LARGEST_OF_32_BITS ? { format: 'int64' } : {};

const isWritable = ([key, value]: [string, unknown]): boolean =>
  key !== 'default' || typeof value !== 'object' || value === null || Array.isArray(value);
