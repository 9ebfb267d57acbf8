import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type ReadResourceResult,
  type ResourceLink,
  type ResourceTemplateType,
} from '@modelcontextprotocol/server';
import { pathPatternOf } from '../../contract/index.ts';
import type { McpCall } from '../../http/mcp.ts';
import type { ErrorBody } from './error-help.ts';
import { MAX_FILE_BYTES, readContent, type OutputFile } from './file-outputs.ts';
import type { JsonSchema, Operation } from './operation.ts';
import { UNTRUSTED_FILE_NOTICE } from './untrusted-data-marking.ts';

/** The URI of a file resource is this scheme, followed by a path of REST v2 with its query. */
const SCHEME = 'sitefleet:/';

const isFileOperation = ({ fileTypes, effect }: Operation): boolean => fileTypes.length > 0 && effect === 'reads';

/** Returns the link to a file. Its name contains no text from the sites, because links are not marked as untrusted. */
export const fileLinkOf = ({ id, title }: Operation, path: string, { type, bytes }: OutputFile): ResourceLink => ({
  type: 'resource_link',
  uri: SCHEME + path,
  name: `${id}.${type.replace(/^.*\/(\w+).*$/, '$1')}`,
  title,
  mimeType: type,
  size: bytes.length,
});

export const fileTemplatesOf = (operations: readonly Operation[]): ResourceTemplateType[] =>
  operations.filter(isFileOperation).map((operation) => {
    const names = Object.keys(queryOf(operation.input()));
    return {
      uriTemplate: `${SCHEME}${pathOf(operation)}${names.length > 0 ? `{?${names.join(',')}}` : ''}`,
      name: operation.id,
      title: operation.title,
      description: `A file (${operation.fileTypes.join(', ')}). describe_operation explains the parameters.`,
    };
  });

const pathOf = ({ address }: Operation): string => address.replace(/^GET \/api\/v2/, '');

function queryOf({ properties }: JsonSchema): JsonSchema {
  const { query } = properties as { query?: { properties: JsonSchema } };
  return query?.properties ?? {};
}

/** Returns null if `uri` is not that of a file. Throws a protocol error if the call fails. */
export async function readFileResource(
  call: McpCall,
  operations: Iterable<Operation>,
  uri: string,
): Promise<ReadResourceResult | null> {
  if (!uri.startsWith(`${SCHEME}/`)) return null;
  const path = uri.slice(SCHEME.length);
  const operation = fileOperationAt([...operations], path.replace(/\?.*$/s, ''));
  if (!operation) return null;
  call.reportOperation(operation.id);
  const response = await call.dispatch.v2({ method: 'GET', path, operationId: operation.id, endsWithCaller: true });
  if (response.status === 404) throw new ResourceNotFoundError(uri);
  if (response.status >= 400) {
    const { code, message } = response.body as ErrorBody;
    throw invalidResource(`${code}: ${message}`);
  }
  const content = await readContent(response);
  if (content.kind === 'tooLarge')
    throw invalidResource(
      `The file is larger than ${MAX_FILE_BYTES / 1024 / 1024} MiB. Get it over HTTP: /api/v2${path}`,
    );
  if (content.kind !== 'file')
    throw invalidResource(`Set format, so that the response is a file (${operation.fileTypes.join(', ')}).`);
  const { type: mimeType, bytes } = content.file;
  const body = mimeType.startsWith('text/') ? { text: bytes.toString('utf8') } : { blob: bytes.toString('base64') };
  return { contents: [{ uri, mimeType, ...body, _meta: { notice: UNTRUSTED_FILE_NOTICE } }] };
}

function fileOperationAt(operations: readonly Operation[], path: string): Operation | undefined {
  const fitting = operations.filter((each) => isFileOperation(each) && pathPatternOf(pathOf(each)).test(path));
  return fitting.find((each) => !pathOf(each).includes('{')) ?? fitting[0];
}

const invalidResource = (message: string): ProtocolError => new ProtocolError(ProtocolErrorCode.InvalidParams, message);
