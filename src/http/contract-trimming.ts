import { operationsOf, type Contract } from '../contract/index.ts';

const FOR_READERS = new Set(['description', 'summary', 'title', 'example', 'examples', 'externalDocs']);
/** The keys of these objects are names, not keywords of JSON Schema, so none of them is dropped. */
const BY_NAME = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs', 'content', 'headers']);
const DATA = new Set(['default', 'const', 'enum', 'required', 'dependentRequired']);

/**
 * Returns a copy of the contract without texts, examples and responses, because the validator would compile all of them
 * for each operation. Requests are validated the same way with this copy.
 */
export function trimContractForRequests(contract: Contract): Contract {
  const { responses: _responses, ...components } = contract.components;
  const slim = {
    ...contract,
    paths: mapObjectValues(contract.paths, trimSchemaNode) as Contract['paths'],
    components: mapObjectValues(components, (kind) => mapObjectValues(kind, trimSchemaNode)) as Contract['components'],
  };
  for (const { operation } of operationsOf(slim)) operation.responses = { default: { description: '' } };
  return slim;
}

function trimSchemaNode(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(trimSchemaNode);
  if (typeof node !== 'object' || node === null) return node;
  const slim: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(node))
    if (!FOR_READERS.has(keyword)) slim[keyword] = trimKeywordValue(keyword, value);
  return slim;
}

function trimKeywordValue(keyword: string, value: unknown): unknown {
  if (typeof value !== 'object' || DATA.has(keyword) || keyword.startsWith('x-')) return value;
  return BY_NAME.has(keyword) ? mapObjectValues(value, trimSchemaNode) : trimSchemaNode(value);
}

function mapObjectValues(node: unknown, change: (value: unknown) => unknown): unknown {
  const all: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(node as object)) all[name] = change(value);
  return all;
}
