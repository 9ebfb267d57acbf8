import { isPermission } from '../../src/shared/permissions.ts';
import { parse } from 'yaml';
import { SURFACES, type Surface } from '../../src/contract/surfaces.ts';
import { insertPath, insertTag } from './insertions.ts';

/** Returns the text of a file, or null if there is none. */
export type Reader = (path: string) => string | null;

export interface Skeleton {
  id: string;
  /** Texts by path. A file that exists already is given with the new lines inserted. */
  files: Map<string, string>;
}

export interface Method {
  operationId: string;
  tags: string[];
  'x-module'?: string;
}
type PathItem = { 'x-ability'?: { category: string } } & Record<(typeof VERBS)[number], Method | undefined>;

/** A path of the table of contents, and what its file says. */
export interface ListedPath {
  path: string;
  category: string | undefined;
  methods: Method[];
  /** Files of parameters that the path refers to, relative to its own. */
  parameterFiles: string[];
}

export const VERBS = ['get', 'put', 'post', 'patch', 'delete'] as const;
export const READS = /^(get|list|count)(?![a-z])/;
const LONGEST_NAME = 40;
const LONGEST_ENDING = 'Output'.length;

export const contentsOf = (surface: Surface): string => `openapi/${surface}/openapi.yaml`;
export const isSurface = (name: string): name is Surface => (SURFACES as readonly string[]).includes(name);

export function readOrFail(read: Reader, path: string): string {
  const text = read(path);
  if (text === null) throw new Error(`${path} is missing.`);
  return text;
}

/** Returns the paths of a part. The list is empty if the part has none on this surface. */
export function pathsOf(surface: Surface, part: string, read: Reader): ListedPath[] {
  const { paths } = parse(readOrFail(read, contentsOf(surface))) as { paths: Record<string, { $ref: string }> };
  return Object.entries(paths).flatMap(([path, { $ref }]) => {
    if (!$ref.startsWith(`${part}/`)) return [];
    const text = readOrFail(read, `openapi/${surface}/${$ref}`);
    const item = parse(text) as PathItem;
    const methods = VERBS.flatMap((verb) => item[verb] ?? []);
    const files = [...text.matchAll(/\$ref: (\S*parameters\.yaml)#/g)].map(([, file = '']) => file);
    return [{ path, category: item['x-ability']?.category, methods, parameterFiles: files }];
  });
}

/** Throws if the contract has no such part and the product has none either. */
export function checkPart(part: string, listed: readonly ListedPath[], read: Reader): void {
  if (listed.length === 0 && read(`src/domains/${part}/part.ts`) === null)
    throw new Error(`There is no part ${part}. docs/recipes/part.md says how to add one.`);
}

/** Returns the module that all operations of the part belong to, or undefined. */
export function moduleOf(listed: readonly ListedPath[]): string | undefined {
  const modules = new Set(listed.flatMap(({ methods }) => methods.map((method) => method['x-module'])));
  return modules.size === 1 ? [...modules][0] : undefined;
}

export const tagOf = (part: string, listed: readonly ListedPath[]): string =>
  listed.flatMap(({ methods }) => methods.flatMap(({ tags }) => tags))[0] ?? part;

/** Lists the path, and the tag of a part that is new on this surface. */
export function listPath(surface: Surface, part: string, path: string, file: string, read: Reader): string {
  const contents = readOrFail(read, contentsOf(surface));
  const listed = insertPath(contents, part, path, file);
  const tag = tagOf(part, pathsOf(surface, part, read));
  return contents.includes(`name: ${tag},`) || contents.includes(`name: ${tag}\n`) ? listed : insertTag(listed, tag);
}

/** `archive-tag` becomes `ArchiveTag`, the beginning of the names of its schemas. */
export function schemaNameOf(words: string): string {
  const name = words
    .split(/[-_]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
  const most = LONGEST_NAME - LONGEST_ENDING;
  if (name.length > most) throw new Error(`${words} is too long: names of schemas begin with it, so ${most} letters.`);
  return name;
}

export const sentenceOf = (words: string): string =>
  words.replace(/[-_]/g, ' ').replace(/^./, (letter) => letter.toUpperCase());

const ERRORS = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  408: 'RequestTimeout',
  409: 'Conflict',
  413: 'ContentTooLarge',
  415: 'UnsupportedMediaType',
  429: 'TooManyRequests',
  431: 'RequestHeaderFieldsTooLarge',
  500: 'InternalServerError',
  503: 'ServiceUnavailable',
} as const;
type ErrorStatus = keyof typeof ERRORS;

interface Facts {
  hasModule: boolean;
  hasSite: boolean;
  isWrite: boolean;
  hasBody: boolean;
}

/** Lines of the error responses that an operation can return. */
export function errorResponses({ hasModule, hasSite, isWrite, hasBody }: Facts): string {
  const returned: Partial<Record<ErrorStatus, boolean>> = {
    404: hasModule || hasSite,
    409: isWrite || hasSite,
    413: hasBody,
    415: hasBody,
  };
  return Object.entries(ERRORS)
    .filter(([status]) => returned[Number(status) as ErrorStatus] ?? true)
    .map(([status, name]) => `    '${status}': {$ref: ../../shared/responses.yaml#/${name}}\n`)
    .join('');
}

/** Returns the permission of the part; the author replaces it where another one suits better. */
export function permissionFor(tag: string, isRead: boolean): string {
  const verb = isRead ? 'read' : 'write';
  const own = `${tag.replaceAll('-', '_')}:${verb}`;
  return isPermission(own) ? own : `sites:${verb}`;
}

export const SITE_NOT_FOUND = 'svc_site_not_found';

/** Lines of the keys that only some operations have. `notFound` is the error code for an unknown site. */
export function ownKeys(module: string | undefined, notFound: string | undefined): string {
  const errors = notFound === undefined ? '' : `  x-errors: [${notFound}, svc_ambiguous_site]\n`;
  return module === undefined ? errors : `  x-module: ${module}\n${errors}`;
}

/** Appends to a file of schemas, which a new part does not have yet. */
export function appended(text: string | null, schemas: string): string {
  return text === null ? schemas : `${text}\n${schemas}`;
}
