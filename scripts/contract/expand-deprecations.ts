import {
  deprecationInWords,
  deref,
  nameIn,
  operationsOf,
  schemasOf,
  type ContractAnswer,
  type ContractOperation,
  type Deprecation,
} from '../../src/contract/index.ts';
import type { Document } from './document.ts';
import { readSharedHeaders } from './shared.ts';

interface Deprecable {
  $ref?: string;
  description?: string;
  deprecated?: boolean;
  'x-deprecation'?: Deprecation;
}

const HEADERS = { Deprecation: 'Deprecation', Sunset: 'Sunset', Link: 'DeprecationLink' };

/**
 * Writes out what `x-deprecation` says: `deprecated`, a sentence in the description, and for an operation the headers
 * that announce it on every answer, refusals included.
 */
export function expandDeprecations(document: Document): Document {
  for (const parameter of Object.values(document.components['parameters'] ?? {}))
    mark(document, parameter as Deprecable);
  for (const schema of Object.values(schemasOf(document)))
    for (const property of Object.values(schema.properties ?? {})) mark(document, property);
  for (const { item, operation } of operationsOf(document)) {
    for (const parameter of [...(item.parameters ?? []), ...(operation.parameters ?? [])]) mark(document, parameter);
    if (!operation['x-deprecation']) continue;
    mark(document, operation);
    announce(document, operation);
  }
  return document;
}

function mark(document: Document, node: Deprecable): void {
  const deprecation = node['x-deprecation'];
  if (!deprecation || node.deprecated) return;
  const description = node.description ?? deref(document, node).description;
  node.deprecated = true;
  node.description = [description, deprecationInWords(deprecation)].filter(Boolean).join('\n\n');
}

/** Lists the headers that every answer of the operation carries. */
function announce(document: Document, operation: ContractOperation): void {
  const shared = readSharedHeaders();
  const components = (document.components['headers'] ??= {});
  for (const name of Object.values(HEADERS)) components[name] = shared[name];
  const added = Object.fromEntries(
    Object.entries(HEADERS).map(([header, name]) => [header, { $ref: `#/components/headers/${name}` }]),
  );
  const answers = (document.components['responses'] ??= {}) as Record<string, ContractAnswer>;
  for (const [status, answer] of Object.entries(operation.responses)) {
    const name = nameIn(answer);
    // A page has links of its own, which come beside these.
    if (name === undefined) answer.headers = { ...added, ...answer.headers };
    else {
      const own = `${name}Deprecated`;
      answers[own] ??= { ...answers[name], headers: { ...answers[name]?.headers, ...added } };
      operation.responses[status] = { $ref: `#/components/responses/${own}` };
    }
  }
  dropUnused(document, answers);
}

/** A refusal that only deprecated operations answer is there in their form alone. */
function dropUnused(document: Document, answers: Record<string, ContractAnswer>): void {
  const used = new Set(
    operationsOf(document).flatMap(({ operation }) =>
      Object.values(operation.responses).map((answer) => nameIn(answer)),
    ),
  );
  for (const name of Object.keys(answers)) if (!used.has(name)) delete answers[name];
}
