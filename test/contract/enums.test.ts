import assert from 'node:assert/strict';
import type { Document } from '../../scripts/contract/document.ts';
import { nameEnums } from '../../scripts/contract/name-enums.ts';

const words = (...all: (string | null)[]): object => ({
  type: all.includes(null) ? ['string', 'null'] : 'string',
  enum: all,
});
const object = (properties: object): object => ({ type: 'object', properties });
const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
const orNull = (name: string): object => ({ anyOf: [ref(name), { type: 'null' }] });

const documentOf = (schemas: object, parameters: object[] = []): Document =>
  ({
    paths: { '/things': { get: { operationId: 'things_list', responses: {}, parameters } } },
    components: { schemas: structuredClone(schemas) },
  }) as unknown as Document;
const named = (schemas: object): Record<string, unknown> => nameEnums(documentOf(schemas)).components['schemas'] ?? {};

describe('names of enums', () => {
  it('when the sources name none, then it is called after where it stands, and what is beside it stays there', () => {
    const size = { ...words('small', 'large'), description: 'Its size.' };
    assert.deepEqual(
      named({ Thing: object({ size: { ...size, default: 'small' }, list: { items: words('a', 'b') } }) }),
      {
        Thing: object({
          size: { ...ref('ThingSize'), description: 'Its size.', default: 'small' },
          list: { items: ref('ThingListItem') },
        }),
        ThingSize: size,
        ThingListItem: { ...words('a', 'b'), description: undefined },
      },
    );
  });

  it('when the sources name it, then the name stays, and the same words elsewhere go by it in any order', () => {
    const Size = words('small', 'large');
    assert.deepEqual(named({ Size, Thing: object({ one: ref('Size'), other: words('large', 'small') }) }), {
      Size,
      Thing: object({ one: ref('Size'), other: ref('Size') }),
    });
  });

  it('when it is one of some words or null, then it is anyOf, whether or not the sources name it', () => {
    const { Thing, MaybeSize } = named({
      MaybeSize: words('small', 'large', null),
      Thing: object({ size: { ...ref('MaybeSize'), description: 'Its size.' }, state: words('on', 'off', null) }),
    });
    assert.deepEqual(
      Thing,
      object({
        size: { ...orNull('MaybeSize'), description: 'Its size.' },
        state: orNull('ThingState'),
      }),
    );
    assert.deepEqual(MaybeSize, { ...words('small', 'large'), description: 'Its size.' });
  });

  it('when a parameter has one, then it is called after the operation', () => {
    const document = nameEnums(documentOf({}, [{ name: 'order_by', in: 'query', schema: words('name', 'date') }]));
    const [parameter] = document.paths['/things']?.get?.parameters ?? [];
    assert.deepEqual(parameter?.schema, ref('ThingsListOrderBy'));
  });

  it('when a parameter has a default as well, then the words stay in place, and a name of theirs alone goes', () => {
    const Order = words('asc', 'desc');
    const parameter = { name: 'order', in: 'query', schema: { ...ref('Order'), default: 'asc' } };
    const { paths, components } = nameEnums(documentOf({ Order }, [parameter]));
    assert.deepEqual(paths['/things']?.get?.parameters?.[0]?.schema, { ...Order, default: 'asc' });
    assert.deepEqual(components['schemas'], {});
  });

  it('when a field stands in short, then it may say the name itself', () => {
    const often = { ...words('daily', 'weekly'), 'x-enum': 'Often' };
    const { Often, ...rest } = named({ One: object({ often }), Other: object({ often }) });
    assert.deepEqual(Object.keys(rest), ['One', 'Other']);
    assert.deepEqual(Often, { ...words('daily', 'weekly'), description: undefined });
    assert.deepEqual(rest['Other'], object({ often: ref('Often') }));
  });

  it('when it is one word, or of numbers or digits, then it stands where it is used', () => {
    const Thing = object({ one: words('one'), flag: { type: 'integer', enum: [0, 1] }, digits: words('0', '1') });
    assert.deepEqual(named({ Thing }), { Thing });
  });

  const REFUSED: [what: string, schemas: object, message: RegExp][] = [
    [
      'the same words stand at two places',
      { One: object({ a: words('x', 'y') }), Two: object({ b: words('x', 'y') }) },
      /TwoB and OneA are of the same words: give them one name/,
    ],
    [
      'two named ones are of the same words',
      { A: words('x', 'y'), B: words('x', 'y'), One: object({ c: words('x', 'y') }) },
      /OneC may be A or B/,
    ],
    [
      'another schema has the name',
      { ThingSize: object({}), Thing: object({ size: words('x', 'y') }) },
      /would be called ThingSize, as another schema is/,
    ],
  ];
  for (const [what, schemas, message] of REFUSED)
    it(`when ${what}, then it is refused`, () => {
      assert.throws(() => named(schemas), message);
    });
});
