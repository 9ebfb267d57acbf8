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
export function withoutResponses(contract: Contract): Contract {
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
  // A plain loop: all of the contract comes through here with each start of the service.
  const slim: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(node))
    if (!FOR_READERS.has(keyword)) slim[keyword] = valueOf(keyword, value);
  return slim;
}

function valueOf(keyword: string, value: unknown): unknown {
  if (typeof value !== 'object' || DATA.has(keyword) || keyword.startsWith('x-')) return value;
  return BY_NAME.has(keyword) ? mapped(value, trimmed) : trimmed(value);
}

function mapped(node: unknown, change: (value: unknown) => unknown): unknown {
  const all: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(node as object)) all[name] = change(value);
  return all;
}
