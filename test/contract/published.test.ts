import assert from 'node:assert/strict';
import type { Document } from '../../scripts/contract/document.ts';
import { published } from '../../scripts/contract/publish.ts';

const documentOf = (schemas: object): Document => ({ paths: {}, components: { schemas } }) as unknown as Document;
const schemasOf = (schemas: object): unknown => published(documentOf(schemas)).components['schemas'];
const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
const One = { type: 'integer', const: 1 };
const Flag = { type: 'integer', enum: [0, 1], description: 'Whether.' };
const Status = { type: 'string', enum: ['on', 'off'], description: 'State.' };

describe('a published document', () => {
  it('when a constant is referred to, then it stands where it is used, with what is said beside the reference', () => {
    const before = { description: 'Before.' };
    const Thing = { properties: { one: ref('One'), flag: { ...ref('Flag'), ...before }, status: ref('Status') } };
    assert.deepEqual(schemasOf({ Status, One, Flag, Thing }), {
      Status,
      Thing: { properties: { one: One, flag: { ...Flag, ...before }, status: ref('Status') } },
    });
  });

  it('when an object is a default, then it is left out, and all other defaults are kept', () => {
    const kept = { list: { type: 'array', default: [] }, flag: { type: 'boolean', default: false } };
    const Thing = { properties: { input: { ...ref('Input'), default: {} }, ...kept } };
    assert.deepEqual(schemasOf({ Thing }), { Thing: { properties: { input: ref('Input'), ...kept } } });
  });

  it('when a field or an example only looks like a keyword, then it is left alone', () => {
    const Thing = {
      properties: { default: { type: 'object' }, enum: { type: 'integer' } },
      examples: [{ input: { default: {}, type: 'integer', maximum: 2 ** 40 } }],
    };
    assert.deepEqual(schemasOf({ Thing }), { Thing });
  });

  it('when 32 bits are not enough for an integer, then it says so', () => {
    const large = { type: 'integer', maximum: 2 ** 31 };
    const small = { type: 'integer', maximum: 2 ** 31 - 1 };
    assert.deepEqual(schemasOf({ large, small }), { large: { ...large, format: 'int64' }, small });
  });
});
