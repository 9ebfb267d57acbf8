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
import { placeholderOf } from './variables.ts';

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

/** `fleet` changes all sites or the service itself if it is sent as it is. */
export type RequestReach = 'read' | 'change' | 'fleet';

/** A call of an operation with the example from its documentation, independent of a collection's format. */
export interface CollectedRequest {
  id: string;
  name: string;
  description: string;
  /** Part of the product. It becomes a folder. */
  part: string;
  reach: RequestReach;
  method: string;
  /** Path from the root of the service. `pathFields` has the values for `{name}`. */
  path: string;
  pathFields: RequestField[];
  query: RequestField[];
  headers: RequestField[];
  body: RequestBody;
}

/** Requests by part. A folder that is run as a whole sends all of them. */
export interface RequestFolder {
  name: string;
  description: string;
  parts: { name: string; requests: CollectedRequest[] }[];
}

/** Returns one request per operation, without further verbs. */
export const requestsOf = (document: Document): CollectedRequest[] =>
  operationsOf(document)
    .filter(({ operation }) => !isAlternativeVerb(operation))
    .map((place) => requestOf(document, place));

export function folderOf(name: string, description: string, requests: readonly CollectedRequest[]): RequestFolder {
  const parts = [...new Set(requests.map(({ part }) => part))];
  return {
    ...{ name, description },
    parts: parts.map((part) => ({ name: part, requests: requests.filter((each) => each.part === part) })),
  };
}

/** Progress of a tool that works on all sites. */
const FOLLOWS_CHANGE_OF_FLEET = /\{(destroy|renew|disconnect)_id\}/;

/** Parts whose changes apply to the service or to all sites. */
const PARTS_OF_SERVICE = new Set(['settings', 'modules', 'tools', 'schedules']);

function reachOf(document: Document, { path, verb, item, operation }: LocatedOperation): RequestReach {
  if (FOLLOWS_CHANGE_OF_FLEET.test(path)) return 'fleet';
  if (verb === 'get' || item['x-ability']?.readonly === true) return 'read';
  const isOfService = (operation as DescribedOperation).tags?.some((tag) => PARTS_OF_SERVICE.has(tag)) === true;
  return isOfService || (!path.includes('{') && !requiresInput(document, operation)) ? 'fleet' : 'change';
}

/** False if the operation also works without any input. Then it means all sites. */
function requiresInput(document: Document, { requestBody }: LocatedOperation['operation']): boolean {
  return Object.values(requestBody?.content ?? {}).some(({ schema }) => {
    const body = deref(document, schema);
    const input = body.properties?.['input'];
    return [body, ...(input ? [deref(document, input)] : [])].some(
      ({ required = [], anyOf, oneOf }) => required.some((name) => name !== 'input') || anyOf || oneOf,
    );
  });
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
    reach: reachOf(document, place),
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
        const filled = Array.isArray(value) ? undefined : placeholderOf(key);
        return { name: name + brackets, value: filled ?? textOf(each), description: '', isSent: true };
      }),
    );
  const text = Array.isArray(example) ? example.map(textOf).join(',') : textOf(example);
  const filled = where === 'path' ? placeholderOf(name) : undefined;
  return [{ name, value: filled ?? text, description, isSent }];
}

function bodyOf(document: Document, { content = {} }: { content?: Record<string, Media> }): RequestBody {
  const json = content['application/json'];
  if (json) return { kind: 'json', text: withVariables(json.example) };
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

/** References to one record become variables; a number stays one, without quotes. Lists keep their examples. */
function withVariables(example: unknown): string {
  const filled = JSON.stringify(
    example,
    (key, value: unknown) => {
      const placeholder = placeholderOf(key);
      if (placeholder === undefined) return value;
      if (typeof value === 'number') return `#${placeholder}#`;
      return typeof value === 'string' ? placeholder : value;
    },
    2,
  );
  return filled.replace(/"#(\{\{\w+\}\})#"/g, '$1');
}
