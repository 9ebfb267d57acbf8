import { operationsOf, type Contract } from '../contract/index.ts';

/** What a schema, a parameter or an operation says for readers alone. */
const FOR_READERS = new Set(['description', 'summary', 'title', 'example', 'examples', 'externalDocs']);
/** Keywords whose value is an object by name: what stands there as a key is a name, whatever it is called. */
const BY_NAME = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs', 'content', 'headers']);
/** Keywords whose value is data, not a schema. */
const DATA = new Set(['default', 'const', 'enum', 'required', 'dependentRequired']);

/**
 * A contract without what says nothing about a request: texts, examples and answers. All of it would be compiled with
 * each operation. A test proves that requests are judged alike with and without it.
 */
export function withoutAnswers(contract: Contract): Contract {
  const { responses: _responses, ...components } = contract.components;
  const slim = {
    ...contract,
    paths: mapped(contract.paths, trimmed) as Contract['paths'],
    components: mapped(components, (kind) => mapped(kind, trimmed)) as Contract['components'],
  };
  for (const { operation } of operationsOf(slim)) operation.responses = { default: { description: '' } };
  return slim;
}

function trimmed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(trimmed);
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node)
      .filter(([keyword]) => !FOR_READERS.has(keyword))
      .map(([keyword, value]) => [keyword, valueOf(keyword, value)]),
  );
}

function valueOf(keyword: string, value: unknown): unknown {
  if (DATA.has(keyword) || keyword.startsWith('x-')) return value;
  return BY_NAME.has(keyword) ? mapped(value, trimmed) : trimmed(value);
}

const mapped = (node: unknown, change: (value: unknown) => unknown): unknown =>
  Object.fromEntries(Object.entries(node as object).map(([name, value]) => [name, change(value)]));
