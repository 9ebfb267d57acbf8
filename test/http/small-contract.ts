import { operationsOf, type Contract } from '../../src/contract/index.ts';
import { readContract } from '../../src/surfaces/generated-files.ts';

/** The schemas of error responses. */
const SHARED_ERRORS = Object.fromEntries(
  Object.entries(readContract('v2').components['schemas'] ?? {}).filter(([name]) => /^(Api|Field)?Error/.test(name)),
);

const object = (properties: Record<string, unknown>, required: string[] = []): Record<string, unknown> => ({
  type: 'object',
  additionalProperties: false,
  required,
  properties,
});
const json = (schema: unknown): Record<string, unknown> => ({ content: { 'application/json': { schema } } });
const ok = (schema: unknown): Record<string, unknown> => ({ 200: { description: 'Done.', ...json(schema) } });

const anything = { type: 'object', additionalProperties: true };
const echoedInput = object({ input: anything }, ['input']);
const echoedCall = object({ path: anything, query: anything, body: {} }, ['path', 'query']);

const LookInput = {
  ...object({
    page: { type: 'integer', minimum: 1, default: 1 },
    per_page: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
    search: { type: 'string', maxLength: 50, default: '' },
    up: { type: 'boolean' },
    types: { type: 'array', items: { type: 'string', enum: ['core', 'plugins', 'themes'] } },
    ids: { type: 'array', maxItems: 500, items: { type: 'integer', minimum: 1 } },
    ref: { type: ['integer', 'string'] },
    owner: { type: ['integer', 'null'] },
    day: { type: 'string', format: 'date' },
    filter: object({
      up: { type: 'boolean', default: true },
      minimum: { type: 'integer' },
      tags: { type: 'array', items: { type: 'string' } },
    }),
  }),
  'x-aliases': { kinds: 'types' },
};
const ChangeInput = object({ slug: { type: 'string', minLength: 1 }, count: { type: 'integer' } }, ['slug']);

const inputQuery = (schema: string): unknown => ({
  name: 'input',
  in: 'query',
  style: 'deepObject',
  explode: true,
  schema: { $ref: `#/components/schemas/${schema}` },
});
const inputBody = (schema: string, whole = {}): unknown => ({
  required: false,
  ...json(object({ input: { $ref: `#/components/schemas/${schema}`, ...whole } })),
});
const optional = { default: {} };
const facts = (readonly: boolean): unknown => ({
  category: 'svc-sites',
  readonly,
  destructive: false,
  idempotent: true,
});
const query = (name: string, schema: unknown, rest: Record<string, unknown> = {}): unknown => ({
  name,
  in: 'query',
  schema,
  ...rest,
});
const ref = { name: 'ref', in: 'path', required: true, schema: { type: 'string' } };

/** A surface with one ability of each kind. Every ability returns its input. */
export function smallAbilities(): Contract {
  const document = {
    openapi: '3.1.0',
    info: { title: 'Small abilities', version: '1.0.0' },
    servers: [{ url: '/abilities/v1' }],
    paths: {
      '/': {
        get: { operationId: 'abilities_list', 'x-permission': 'abilities:read', responses: ok({ type: 'array' }) },
      },
      '/svc/look-around-v1/run': {
        'x-ability': facts(true),
        get: {
          operationId: 'look-around-v1',
          'x-permission': 'sites:read',
          parameters: [inputQuery('LookInput')],
          responses: ok(echoedInput),
        },
        post: {
          operationId: 'look-around-v1__post',
          'x-permission': 'sites:read',
          requestBody: inputBody('LookInput', optional),
          responses: ok(echoedInput),
        },
      },
      '/svc/change-thing-v1/run': {
        'x-ability': facts(false),
        post: {
          operationId: 'change-thing-v1',
          'x-permission': 'sites:write',
          requestBody: { ...(inputBody('ChangeInput', {}) as object), required: true },
          responses: ok(echoedInput),
        },
      },
      '/svc/read-logs-v1/run': {
        'x-ability': facts(true),
        post: {
          operationId: 'read-logs-v1',
          'x-permission': 'changes:read',
          'x-module': 'logs',
          requestBody: inputBody('LookInput', optional),
          responses: ok(echoedInput),
        },
      },
    },
    components: { schemas: { LookInput, ChangeInput } },
  };
  return withErrors(document);
}

/** A surface with one route of each kind. Every route returns its call. */
export function smallRoutes(): Contract {
  const body = object({ name: { type: 'string' }, size: { type: 'integer', minimum: 1, default: 3 } }, ['name']);
  const mail = { type: 'string', maxLength: 255, pattern: '^\\s*(\\S+@\\S+)?\\s*$' };
  const doubles = { type: 'array', maxItems: 100, uniqueItems: true, items: anything };
  const edit = object({ name: { type: 'string' }, size: { type: ['integer', 'null'] }, free: anything, mail, doubles });
  const write = (operationId: string, schema: unknown, permission = 'tags:write'): Record<string, unknown> => ({
    operationId,
    'x-permission': permission,
    requestBody: { required: true, ...json(schema) },
    responses: ok(echoedCall),
  });
  const read = (operationId: string, rest: Record<string, unknown> = {}): Record<string, unknown> => ({
    operationId,
    'x-permission': 'tags:read',
    responses: ok(echoedCall),
    ...rest,
  });
  const document = {
    openapi: '3.1.0',
    info: { title: 'Small routes', version: '1.0.0' },
    servers: [{ url: '/api/v2' }],
    paths: {
      '/things': {
        get: read('things_list', {
          parameters: [
            query('page', { type: 'integer', minimum: 1, default: 1 }),
            query('search', { type: 'string' }),
            query('full_data', { type: 'boolean', default: false }),
            query('status', { type: 'string', enum: ['open', 'done'] }),
            query('ids', { type: 'array', items: { type: 'integer' } }, { style: 'form', explode: false }),
          ],
        }),
        post: write('things_create', body),
      },
      '/things/{ref}': {
        parameters: [ref],
        get: read('things_get'),
        put: write('things_edit', edit),
        patch: write('things_edit__patch', edit),
        delete: { operationId: 'things_delete', 'x-permission': 'tags:write', responses: ok(echoedCall) },
      },
      '/things/{ref}/touch': {
        parameters: [ref],
        post: { operationId: 'things_touch', 'x-permission': 'tags:write', responses: ok(echoedCall) },
      },
      '/things/basic': { get: read('things_basic') },
      '/keys': { post: { ...write('keys_create', body, 'access:manage'), 'x-audit': true } },
      '/logs': { get: read('logs_list', { 'x-module': 'logs' }) },
    },
    components: {},
  };
  return withErrors(document);
}

/** Adds the error responses of the real contract: of all operations, of a body, of a write and of a module. */
function withErrors(document: object): Contract {
  const whole = document as unknown as Contract;
  Object.assign((whole.components['schemas'] ??= {}), SHARED_ERRORS);
  const { responses, headers } = readContract('v2').components;
  Object.assign(whole.components, { responses, headers });
  for (const { verb, operation } of operationsOf(whole)) {
    const isWrite = verb !== 'get';
    const hasBody = isWrite && verb !== 'delete';
    const names = {
      ...{ 400: 'BadRequest', 401: 'Unauthorized', 403: 'Forbidden' },
      ...{ 408: 'RequestTimeout', 429: 'TooManyRequests', 431: 'RequestHeaderFieldsTooLarge' },
      ...{ 500: 'InternalServerError', 503: 'ServiceUnavailable' },
      ...(isWrite && { 409: 'Conflict' }),
      ...(hasBody && { 413: 'ContentTooLarge', 415: 'UnsupportedMediaType' }),
      ...(operation['x-module'] && { 404: 'NotFound' }),
    };
    for (const [status, name] of Object.entries(names))
      operation.responses[status] = { $ref: `#/components/responses/${name}` };
  }
  return whole;
}
