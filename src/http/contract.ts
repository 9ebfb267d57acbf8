/** The parts of a bundled contract that the machinery reads. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  required?: string[];
  'x-aliases'?: Record<string, string>;
  [key: string]: unknown;
}

export interface Parameter {
  $ref?: string;
  name: string;
  in: string;
  required?: boolean;
  schema?: Schema;
}

export interface ContractOperation {
  operationId: string;
  summary?: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
  'x-permission'?: 'read' | 'write' | 'admin';
  'x-module'?: string;
  'x-audit'?: boolean;
  'x-batch'?: boolean;
  'x-secret-answer'?: boolean;
  /** Whether doing it twice is the same as doing it once, where the verbs do not tell. */
  'x-idempotency'?: boolean;
}

export interface AbilityFacts {
  category: string;
  readonly: boolean;
  destructive: boolean;
  idempotent: boolean;
  instructions?: string;
}

export interface PathItem {
  summary?: string;
  description?: string;
  parameters?: Parameter[];
  'x-ability'?: AbilityFacts;
  get?: ContractOperation;
  put?: ContractOperation;
  post?: ContractOperation;
  patch?: ContractOperation;
  delete?: ContractOperation;
}

export interface Contract {
  servers: { url: string }[];
  paths: Record<string, PathItem>;
  components: Record<string, Record<string, unknown>>;
  'x-categories'?: Record<string, { label: string; description: string }>;
}

export const VERBS = ['get', 'put', 'post', 'patch', 'delete'] as const;
export type Verb = (typeof VERBS)[number];

export interface OperationPlace {
  path: string;
  verb: Verb;
  item: PathItem;
  operation: ContractOperation;
  /** The id that handlers, logs and metrics know: without the further verb. */
  id: string;
}

export const baseOf = (contract: Contract): string => contract.servers[0]?.url ?? '';
export const handlerIdOf = (operationId: string): string => operationId.split('__')[0] ?? operationId;

export function operationsOf(contract: Contract): OperationPlace[] {
  return Object.entries(contract.paths).flatMap(([path, item]) =>
    VERBS.flatMap((verb) => {
      const operation = item[verb];
      return operation ? [{ path, verb, item, operation, id: handlerIdOf(operation.operationId) }] : [];
    }),
  );
}

/** Follows local references to the thing itself. */
export function deref<T extends { $ref?: string }>(contract: Contract, node: T): T {
  let found: unknown = node;
  while (found && typeof found === 'object' && '$ref' in found && typeof found.$ref === 'string') {
    found = found.$ref
      .slice(2)
      .split('/')
      .reduce<unknown>(
        (parent, key) => (parent as Record<string, unknown>)[key.replace(/~1/g, '/').replace(/~0/g, '~')],
        contract,
      );
  }
  return found as T;
}

/** The input of an ability, in the body of one verb or in the query of another. */
export function inputOf(contract: Contract, { post, get }: PathItem): Schema {
  const body = deref(contract, post?.requestBody?.content['application/json']?.schema ?? {});
  return body.properties?.['input'] ?? get?.parameters?.[0]?.schema ?? {};
}

/** Path of an ability inside its surface; the name is the first group. */
export const ABILITY_PATH = /^\/svc\/([^/]+)\/run\/?$/;
