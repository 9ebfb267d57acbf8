import { baseOf, deref, isFurtherVerb, operationsOf, type ContractOperation } from '../../src/contract/index.ts';
import { SURFACES, type Surface } from './surfaces.ts';
import type { Document } from './document.ts';
import { readSharedErrors } from './shared.ts';

/**
 * The table that the client SDK runs on: where each operation is called, and whether repeating it is harmless. Further
 * verbs of an operation are left out; one is enough to call it.
 */
export function sdkOperations(documents: Record<Surface, Document>): string {
  const lines = SURFACES.flatMap((surface) => {
    const document = documents[surface];
    const base = baseOf(document);
    return operationsOf(document)
      .filter(({ operation }) => !isFurtherVerb(operation))
      .map(({ path, verb, item, operation }) => {
        const facts = item['x-ability'];
        const readonly = facts ? facts.readonly : verb === 'get';
        const idempotent = facts ? facts.idempotent : verb !== 'post';
        const files = fileFieldsOf(document, operation);
        const form = files ? { files } : {};
        const entry = { surface, method: verb.toUpperCase(), path: base + path, readonly, idempotent, ...form };
        return `  ${JSON.stringify(operation.operationId)}: ${JSON.stringify(entry)},`;
      });
  });
  return ['export const OPERATIONS = {', ...lines, '} as const;', ''].join('\n');
}

/** Which fields of a form are files; null for an operation that takes none. */
function fileFieldsOf(document: Document, { requestBody }: ContractOperation): string[] | null {
  const form = requestBody?.content['multipart/form-data'];
  if (!form) return null;
  const { properties = {} } = deref(document, form.schema);
  return Object.entries(properties).flatMap(([name, field]) => (field['contentMediaType'] ? [name] : []));
}

/** Every code with its status, for clients that look at an error they did not narrow. */
export function sdkErrors(): string {
  const lines = Object.entries(readSharedErrors().table).map(([code, { status }]) => `  ${code}: ${status},`);
  return [
    'export const ERROR_CODES = {',
    ...lines,
    '} as const;',
    'export type ErrorCode = keyof typeof ERROR_CODES;',
    '',
  ].join('\n');
}
