import openapiTS, { astToString } from 'openapi-typescript';
import type { Document } from './expand-errors.ts';

/**
 * TypeScript of a document. `forCallers` makes fields with a default optional: a server may rely on them, a client need not
 * send them.
 */
export async function typesOf(document: Document, { forCallers }: { forCallers: boolean }): Promise<string> {
  const copy = JSON.parse(JSON.stringify(document)) as never;
  return astToString(await openapiTS(copy, { defaultNonNullable: !forCallers, alphabetize: false }));
}
