import openapiTS, { astToString } from 'openapi-typescript';
import { operationsOf, withErrorCodes, type Parameter } from '../../src/contract/index.ts';
import type { Document } from './document.ts';

/**
 * TypeScript of a document. `forCallers` makes fields with a default optional: a server may rely on them, a client need
 * not send them.
 */
export async function typesOf(document: Document, { forCallers }: { forCallers: boolean }): Promise<string> {
  const copy = structuredClone(withErrorCodes(document));
  if (!forCallers) relyOnQueryDefaults(copy);
  return astToString(await openapiTS(copy as never, { defaultNonNullable: !forCallers, alphabetize: false }));
}

/** The generator knows defaults of schemas, and not those of parameters, which the validator fills in all the same. */
function relyOnQueryDefaults(document: Document): void {
  const shared = Object.values(document.components['parameters'] ?? {}) as Parameter[];
  const own = operationsOf(document).flatMap(({ operation }) => operation.parameters ?? []);
  for (const parameter of [...shared, ...own])
    if (parameter.in === 'query' && parameter.schema?.default !== undefined) parameter.required = true;
}
