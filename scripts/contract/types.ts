import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import {
  isBinaryFile,
  operationsOf,
  withClosedEnums,
  withInlineDefaults,
  type Parameter,
} from '../../src/contract/index.ts';
import type { Document } from './document.ts';

/** A handler checks that it got a file. */
const BINARY_FILE = ts.factory.createKeywordTypeNode(ts.SyntaxKind.UnknownKeyword);

/** TypeScript of a document for the service, which relies on fields with a default: the validator fills them in. */
export async function typesModule(document: Document): Promise<string> {
  const copy = structuredClone(withClosedEnums(withInlineDefaults(document)));
  requireDefaultedQueryFields(copy);
  const nodes = await openapiTS(copy as never, {
    defaultNonNullable: true,
    alphabetize: false,
    transform: (schema) => (isBinaryFile(schema) ? BINARY_FILE : undefined),
  });
  return astToString(nodes);
}

/** The generator knows defaults of schemas, and not those of parameters, which the validator fills in all the same. */
function requireDefaultedQueryFields(document: Document): void {
  const shared = Object.values(document.components['parameters'] ?? {}) as Parameter[];
  const own = operationsOf(document).flatMap(({ operation }) => operation.parameters ?? []);
  for (const parameter of [...shared, ...own])
    if (parameter.in === 'query' && parameter.schema?.default !== undefined) parameter.required = true;
}
