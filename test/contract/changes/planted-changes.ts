import type { Kind } from '../../../src/contract-checks/index.ts';
import type { ComparableContract } from '../../../src/contract-checks/index.ts';

// Changes are planted in contracts of any shape.
// oxlint-disable-next-line typescript/no-explicit-any
export type LooseContract = any;

const json = (schema: unknown): LooseContract => ({ 'application/json': { schema } });

/** Returns a contract with one of everything that can change. */
export function smallContract(): LooseContract {
  return {
    openapi: '3.1.0',
    info: { title: 'Small', version: '1.0.0' },
    servers: [{ url: '/api/v2' }],
    security: [{ basic: [] }, { bearer: [] }],
    paths: {
      '/things': {
        get: {
          operationId: 'things_list',
          'x-permission': 'read',
          'x-error-codes': { 404: ['svc_gone', 'svc_lost'] },
          parameters: [
            { $ref: '#/components/parameters/PageQuery' },
            { name: 'search', in: 'query', 'x-aliases': { q: 'search' }, schema: { type: 'string' } },
            {
              name: 'ids',
              in: 'query',
              style: 'form',
              explode: false,
              schema: { type: 'array', items: { type: 'integer' } },
            },
          ],
          responses: {
            200: {
              description: 'Things.',
              headers: { ETag: { schema: { type: 'string' } } },
              content: { ...json({ type: 'array', items: { $ref: '#/components/schemas/Thing' } }), 'text/csv': {} },
            },
            404: { description: 'None.' },
            409: { description: 'Clash.' },
          },
        },
        post: {
          operationId: 'things_create',
          'x-permission': 'write',
          requestBody: {
            content: { ...json({ $ref: '#/components/schemas/ThingEdit' }), 'text/plain': { schema: {} } },
          },
          responses: { 201: { description: 'Made.', content: json({ $ref: '#/components/schemas/Thing' }) } },
        },
      },
      '/things/{id}': {
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
        delete: { operationId: 'things_delete', 'x-permission': 'write', responses: { 204: { description: 'Gone.' } } },
      },
    },
    components: {
      parameters: { PageQuery: { name: 'page', in: 'query', schema: { type: 'integer', maximum: 100, default: 1 } } },
      schemas: {
        Thing: {
          type: 'object',
          description: 'A thing.',
          additionalProperties: false,
          required: ['id', 'name', 'state', 'at'],
          properties: {
            id: { type: 'integer' },
            name: { type: 'string', maxLength: 20, pattern: '^\\w+$' },
            state: { type: 'string', enum: ['open', 'done'] },
            at: { type: 'string', format: 'date-time' },
            size: { type: 'number' },
            owner: { anyOf: [{ $ref: '#/components/schemas/Owner' }, { type: 'null' }] },
            sort: { type: 'string', 'x-extensible-enum': ['shop', 'blog'] },
            about: { oneOf: [{ $ref: '#/components/schemas/Owner' }, { $ref: '#/components/schemas/Note' }] },
          },
        },
        Owner: {
          type: 'object',
          additionalProperties: false,
          required: ['email'],
          properties: {
            email: { type: 'string' },
            owns: { type: 'array', items: { $ref: '#/components/schemas/Thing' } },
          },
        },
        Note: {
          type: 'object',
          additionalProperties: false,
          required: ['text'],
          properties: { text: { type: 'string' } },
        },
        ThingEdit: {
          type: 'object',
          additionalProperties: false,
          required: ['name'],
          'x-aliases': { title: 'name' },
          properties: {
            name: { type: 'string', maxLength: 20, pattern: '^\\w+$' },
            state: { type: ['string', 'null'], enum: ['open', 'done', null] },
            at: { type: 'string', format: 'date-time' },
            size: { type: 'number' },
            by: { oneOf: [{ type: 'integer' }, { type: 'string' }] },
          },
        },
      },
    },
  };
}

/** Returns the small contract with one change. */
export function withPlantedChange(plant: (contract: LooseContract) => void): ComparableContract {
  const contract = smallContract();
  plant(contract);
  return contract;
}

export const listOperation = (contract: LooseContract): LooseContract => contract.paths['/things'].get;
export const createOperation = (contract: LooseContract): LooseContract => contract.paths['/things'].post;
export const removeOperation = (contract: LooseContract): LooseContract => contract.paths['/things/{id}'].delete;
export const outputSchema = (contract: LooseContract): LooseContract => contract.components.schemas.Thing;
export const inputSchema = (contract: LooseContract): LooseContract => contract.components.schemas.ThingEdit;

/** A planted change and the expected report. */
export interface PlantedChange {
  /** Condition in the title of the test. */
  when: string;
  plant: (contract: LooseContract) => void;
  kind: Kind;
  subject: string;
  /** Kind of the change in the other direction, if it differs. */
  reverseKind?: Kind;
}
