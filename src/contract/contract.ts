import type { NotFoundError } from '../shared/errors.ts';
import type { Deprecation } from './deprecations.ts';
import { deref } from './references.ts';

export interface Schema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: boolean | Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  required?: string[];
  default?: unknown;
  /** Aliases of the fields of an object, or of the values of a text, with the names that they stand for. */
  'x-aliases'?: Record<string, string>;
  /** True if the value refers to a site. An input field with this schema names the site of the call. */
  'x-site'?: boolean;
  /** Unit of a number in a request body. The field also accepts a text such as `5m` or `2h`. */
  'x-duration'?: 'minutes' | 'seconds';
  [key: string]: unknown;
}

export interface SiteNotFoundOverride {
  code: NotFoundError['code'];
  message: string;
}

export interface Parameter {
  $ref?: string;
  name: string;
  in: string;
  description?: string;
  required?: boolean;
  schema?: Schema;
  'x-site'?: true | SiteNotFoundOverride;
  'x-aliases'?: Record<string, string>;
  'x-in-example'?: boolean;
}

export interface Media {
  schema: Schema;
  example?: unknown;
}

export interface ContractResponse {
  $ref?: string;
  description?: string;
  headers?: Record<string, unknown>;
  content?: Record<string, Media>;
}

/** An operation that writes and has no `x-effect` counts as `changes`. */
export type WriteEffect = 'changes' | 'destroys' | 'cuts-off' | 'installs';

export interface ContractOperation {
  operationId: string;
  tags?: string[];
  summary?: string;
  description?: string;
  deprecated?: boolean;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, Media> };
  responses: Record<string, ContractResponse>;
  /** Error codes besides those of the shared responses; see `errorCodesOf`. */
  'x-errors'?: string[];
  /** One of the permissions in shared/permissions.yaml. */
  'x-permission'?: string;
  /** True if callers that are limited to some sites may call the operation. */
  'x-site-limit'?: boolean;
  'x-module'?: string;
  'x-batch'?: boolean;
  'x-etag'?: boolean;
  'x-secret-answer'?: boolean;
  'x-effect'?: WriteEffect;
  'x-idempotent'?: boolean;
  'x-deprecation'?: Deprecation;
}

export interface AbilityAnnotations {
  category: string;
  readonly: boolean;
  destructive: boolean;
  idempotent: boolean;
  instructions?: string;
}

export interface PathItem {
  parameters?: Parameter[];
  'x-ability'?: AbilityAnnotations;
  get?: ContractOperation;
  put?: ContractOperation;
  post?: ContractOperation;
  patch?: ContractOperation;
  delete?: ContractOperation;
}

export interface Contract {
  info?: { version: string };
  servers: { url: string }[];
  tags?: { name: string; description?: string }[];
  paths: Record<string, PathItem>;
  components: Record<string, Record<string, unknown>>;
}

export const VERBS = ['get', 'put', 'post', 'patch', 'delete'] as const;
export type Verb = (typeof VERBS)[number];

export interface LocatedOperation {
  path: string;
  verb: Verb;
  item: PathItem;
  operation: ContractOperation;
  /** ID in handlers, logs and metrics, without the suffix `__<verb>`. */
  id: string;
}

export const basePathOf = (contract: Contract): string => contract.servers[0]?.url ?? '';
export const handlerIdOf = (operationId: string): string => operationId.split('__')[0] ?? operationId;
export const isAlternativeVerb = ({ operationId }: ContractOperation): boolean => operationId.includes('__');

export const verbsOf = (item: PathItem): Verb[] => VERBS.filter((verb) => item[verb]);

export function operationsOf(contract: Contract): LocatedOperation[] {
  return Object.entries(contract.paths).flatMap(([path, item]) =>
    VERBS.flatMap((verb) => {
      const operation = item[verb];
      return operation ? [{ path, verb, item, operation, id: handlerIdOf(operation.operationId) }] : [];
    }),
  );
}

export function parametersOf(
  contract: Contract,
  { item, operation }: Pick<LocatedOperation, 'item' | 'operation'>,
): Parameter[] {
  return [...(item.parameters ?? []), ...(operation.parameters ?? [])].map((each) => deref(contract, each));
}

const JSON_TYPE = 'application/json';

export const jsonMediaOf = (body: { content?: Record<string, Media> } | undefined): Media | undefined =>
  body?.content?.[JSON_TYPE];

export const schemasOf = (contract: Contract): Record<string, Schema> =>
  (contract.components['schemas'] ?? {}) as Record<string, Schema>;

export function abilityInputOf(contract: Contract, { post, get }: PathItem): Schema {
  const body = deref(contract, jsonMediaOf(post?.requestBody)?.schema ?? {});
  return body.properties?.['input'] ?? get?.parameters?.[0]?.schema ?? {};
}

export interface SiteParameterRule {
  name: string;
  required: boolean;
  noSuchSite: SiteNotFoundOverride | null;
}

/** Returns null if the operation is about no site or about several. */
export function siteParameterRuleOf(
  contract: Contract,
  { item, operation }: LocatedOperation,
): SiteParameterRule | null {
  const parameter = parametersOf(contract, { item, operation }).find((each) => each['x-site']);
  const said = parameter?.['x-site'];
  if (parameter && said) return { name: parameter.name, required: true, noSuchSite: said === true ? null : said };
  if (!item['x-ability']) return null;
  const { properties = {}, required = [] } = deref(contract, abilityInputOf(contract, item));
  const name = Object.keys(properties).find((each) => deref(contract, properties[each] as Schema)['x-site']);
  return name === undefined ? null : { name, required: required.includes(name), noSuchSite: null };
}
