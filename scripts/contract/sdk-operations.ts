import { operationsOf, readSharedErrors, type Document, type Operation } from './expand-errors.ts';
import { SURFACES, type Surface } from './bundle.ts';

/**
 * The table that the client SDK runs on: where each operation is called, and whether repeating it is harmless. Further
 * verbs of an operation are left out; one is enough to call it.
 */
export function sdkOperations(documents: Record<Surface, Document>): string {
  const lines = SURFACES.flatMap((surface) => {
    const document = documents[surface];
    const base = document.servers[0]?.url ?? '';
    return operationsOf(document)
      .filter(({ operation }) => !operation.operationId.includes('__'))
      .map(({ path, verb, item, operation }) => {
        const facts = item['x-ability'] as { readonly: boolean; idempotent: boolean } | undefined;
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

interface FormBody {
  content: { 'multipart/form-data'?: { schema: { $ref: string } } };
}

/** Which fields of a form are files; null for an operation that takes none. */
function fileFieldsOf(document: Document, { requestBody }: Operation): string[] | null {
  const reference = (requestBody as FormBody | undefined)?.content['multipart/form-data']?.schema.$ref;
  if (reference === undefined) return null;
  const schema = document.components['schemas']?.[reference.split('/').at(-1) ?? ''] as {
    properties: Record<string, { contentMediaType?: string }>;
  };
  return Object.entries(schema.properties).flatMap(([name, field]) => (field.contentMediaType ? [name] : []));
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
