import assert from 'node:assert/strict';
import type { Document } from '../../scripts/contract/document.ts';
import { published } from '../../scripts/contract/publish.ts';

const documentOf = (schemas: object): Document => ({ paths: {}, components: { schemas } }) as unknown as Document;
const schemasOf = (schemas: object): unknown => published(documentOf(schemas)).components['schemas'];
const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
const One = { type: 'integer', const: 1 };
const Status = { type: 'string', enum: ['on', 'off'], description: 'State.' };

describe('a published document', () => {
  it('has enums where they are used, with what is said beside their reference', () => {
    const Thing = {
      properties: { one: ref('One'), status: ref('Status'), before: { ...ref('Status'), description: 'Before.' } },
    };
    assert.deepEqual(schemasOf({ Status, One, Thing }), {
      Thing: { properties: { one: One, status: Status, before: { ...Status, description: 'Before.' } } },
    });
  });

  it('has no object as a default, and keeps all others', () => {
    const kept = { list: { type: 'array', default: [] }, flag: { type: 'boolean', default: false } };
    const Thing = { properties: { input: { ...ref('Input'), default: {} }, ...kept } };
    assert.deepEqual(schemasOf({ Thing }), { Thing: { properties: { input: ref('Input'), ...kept } } });
  });

  it('leaves alone what only looks like a keyword: names of fields, and examples', () => {
    const Thing = {
      properties: { default: { type: 'object' }, enum: { type: 'integer' } },
      examples: [{ input: { default: {}, type: 'integer', maximum: 2 ** 40 } }],
    };
    assert.deepEqual(schemasOf({ Thing }), { Thing });
  });

  it('says of which integers 32 bits are not enough', () => {
    const large = { type: 'integer', maximum: 2 ** 31 };
    const small = { type: 'integer', maximum: 2 ** 31 - 1 };
    assert.deepEqual(schemasOf({ large, small }), { large: { ...large, format: 'int64' }, small });
  });
});
