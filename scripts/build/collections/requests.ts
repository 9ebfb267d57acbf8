import {
  basePathOf,
  deref,
  isAlternativeVerb,
  operationsOf,
  parametersOf,
  type Media,
  type LocatedOperation,
  type Parameter,
} from '../../../src/contract/index.ts';
import type { Document } from '../../contract/document.ts';

/** A field of a request. Optional fields are disabled, and the user can enable them. */
export interface RequestField {
  name: string;
  value: string;
  description: string;
  isSent: boolean;
}

export type RequestBody =
  | { kind: 'none' }
  | { kind: 'json'; text: string }
  | { kind: 'form'; fields: (RequestField & { isFile: boolean })[] };

/** A call of an operation with the example from its documentation, independent of a collection's format. */
export interface CollectedRequest {
  id: string;
  name: string;
  description: string;
  /** Part of the product. It becomes a folder. */
  part: string;
  method: string;
  /** Path from the root of the service. `pathFields` has the values for `{name}`. */
  path: string;
  pathFields: RequestField[];
  query: RequestField[];
  headers: RequestField[];
  body: RequestBody;
}

/** Variables of a collection, so that it contains no credentials. */
export const VARIABLES = [
  { name: 'baseUrl', value: 'http://127.0.0.1:8080', isSecret: false, description: 'Address of the service.' },
  { name: 'apiKey', value: '', isSecret: true, description: 'An API key, which both surfaces take.' },
] as const;

/** A surface with its requests by part. */
export interface SurfaceFolder {
  name: string;
  description: string;
  parts: { name: string; requests: CollectedRequest[] }[];
}

/** Returns one request per operation, without further verbs. */
export function folderOf(name: string, document: Document): SurfaceFolder {
  const requests = operationsOf(document)
    .filter(({ operation }) => !isAlternativeVerb(operation))
    .map((place) => requestOf(document, place));
  const parts = [...new Set(requests.map(({ part }) => part))];
  return {
    name,
    description: (document.info.description ?? '').split('\n\n')[0] ?? '',
    parts: parts.map((part) => ({ name: part, requests: requests.filter((each) => each.part === part) })),
  };
}

function requestOf(document: Document, place: LocatedOperation): CollectedRequest {
  const { path, verb, operation } = place;
  const { summary, description, tags = [] } = operation as DescribedOperation;
  const parameters = parametersOf(document, place) as DescribedParameter[];
  const at = (where: string): RequestField[] => parameters.filter((each) => each.in === where).flatMap(fieldsOf);
  const body = bodyOf(document, deref(document, operation.requestBody ?? {}));
  return {
    id: operation.operationId,
    name: summary ?? operation.operationId,
    description: description ?? '',
    part: tags[0] ?? 'other',
    method: verb.toUpperCase(),
    path: basePathOf(document) + path,
    pathFields: at('path'),
    query: at('query'),
    headers: [...(body.kind === 'json' ? [sentField('Content-Type', 'application/json')] : []), ...at('header')],
    body,
  };
}

interface DescribedOperation {
  summary?: string;
  description?: string;
  tags?: string[];
}

interface DescribedParameter extends Parameter {
  description?: string;
  style?: string;
  example?: unknown;
}

const sentField = (name: string, value: string): RequestField => ({ name, value, description: '', isSent: true });

/** An object in brackets becomes one field per property. A list becomes its items, separated by commas. */
function fieldsOf({ name, in: where, required, style, description = '', example }: DescribedParameter): RequestField[] {
  const isSent = where === 'path' || required === true;
  if (style === 'deepObject')
    return Object.entries(example as object).flatMap(([key, value]) =>
      [value].flat().map((each: unknown) => {
        const brackets = Array.isArray(value) ? `[${key}][]` : `[${key}]`;
        return { name: name + brackets, value: textOf(each), description: '', isSent: true };
      }),
    );
  const value = Array.isArray(example) ? example.map(textOf).join(',') : textOf(example);
  return [{ name, value, description, isSent }];
}

function bodyOf(document: Document, { content = {} }: { content?: Record<string, Media> }): RequestBody {
  const json = content['application/json'];
  if (json) return { kind: 'json', text: JSON.stringify(json.example, null, 2) };
  const form = content['multipart/form-data'];
  if (!form) return { kind: 'none' };
  const { properties = {}, required = [] } = deref(document, form.schema);
  const examples = (form.example ?? {}) as Record<string, unknown>;
  const fields = Object.entries(properties).map(([name, schema]) => {
    const {
      description,
      contentMediaType,
      examples: own = [],
    } = deref(document, schema) as {
      description?: string;
      contentMediaType?: string;
      examples?: unknown[];
    };
    return {
      name,
      value: contentMediaType ? '' : textOf(examples[name] ?? own[0]),
      description: description ?? '',
      isSent: required.includes(name) || name in examples,
      isFile: contentMediaType !== undefined,
    };
  });
  return { kind: 'form', fields };
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);
