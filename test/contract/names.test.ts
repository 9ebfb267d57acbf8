import assert from 'node:assert/strict';
import type { Document } from '../../scripts/contract/document.ts';
import { nameSchemas } from '../../scripts/contract/name-schemas.ts';

const object = (properties: object): object => ({ type: 'object', additionalProperties: false, properties });
const json = (schema: object): object => ({ content: { 'application/json': { schema } } });
const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` });

/** A document of one operation, with what is planted in it. */
const documentOf = (schemas: object, operation: object = {}): Document =>
  ({
    paths: { '/things': { post: { operationId: 'things_add', responses: {}, ...operation } } },
    components: { schemas: structuredClone(schemas) },
  }) as unknown as Document;
const named = (schemas: object, operation?: object): Record<string, unknown> =>
  nameSchemas(documentOf(schemas, operation)).components['schemas'] ?? {};

describe('names of schemas', () => {
  it('when an object has none, then its name comes from where it stands, however deep', () => {
    const size = object({ width: { type: 'integer' } });
    const Thing = object({ 'max-size': size, parts: { type: 'array', items: object({ size }) } });
    assert.deepEqual(named({ Thing }), {
      Thing: object({ 'max-size': ref('ThingMaxSize'), parts: { type: 'array', items: ref('ThingPartsItem') } }),
      ThingMaxSize: size,
      ThingPartsItem: object({ size: ref('ThingPartsItemSize') }),
      ThingPartsItemSize: size,
    });
  });

  it('when a body or an answer has none, then its name comes from the operation or from its input', () => {
    const answer = object({ id: { type: 'integer' } });
    const responses = { 200: json(answer) };
    const body = object({ name: { type: 'string' } });
    const input = object({ input: ref('AddThingInput') });
    assert.deepEqual(named({}, { requestBody: json(body), responses }), {
      ThingsAddBody: body,
      ThingsAddAnswer: answer,
    });
    assert.deepEqual(named({}, { requestBody: json(input) }), { AddThingBody: input });
  });

  it('when a value is of several kinds, then it has a name, but not when it is of one kind or null', () => {
    const either = { type: ['integer', 'string'] };
    const orNull = { anyOf: [object({}), { type: 'null' }] };
    const plain = { type: ['string', 'null'] };
    assert.deepEqual(named({ Thing: object({ either, orNull, plain }) }), {
      Thing: object({ either: ref('ThingEither'), orNull: { anyOf: [ref('ThingOrNull'), { type: 'null' }] }, plain }),
      ThingEither: either,
      ThingOrNull: object({}),
    });
  });

  it('when a named schema has a default, then the default stays where the validator applies it', () => {
    const options = { ...object({}), default: {} };
    assert.deepEqual(named({ Thing: object({ options }) }), {
      Thing: object({ options: { ...ref('ThingOptions'), default: {} } }),
      ThingOptions: object({}),
    });
  });

  it('when two different schemas would bear the same, then it is refused', () => {
    const Thing = object({ size: object({ width: { type: 'integer' } }) });
    assert.throws(() => named({ Thing, ThingSize: object({}) }), /Two schemas would be called ThingSize/);
  });
});
