import assert from 'node:assert/strict';
import { InvalidError } from '../../src/shared/errors.ts';
import { FieldErrors, refuseField } from '../../src/shared/fields.ts';
import { checkedName, cut, keyOf, partsOf, trimmedName, trimmedText } from '../../src/shared/text.ts';

const FACE = '🙂';

function fieldsOf(call: () => unknown): [path: string, message: string][] {
  try {
    call();
  } catch (error) {
    assert.ok(error instanceof InvalidError);
    return (error.data.errors ?? []).map(({ path, message }) => [path, message]);
  }
  return [];
}

describe('names', () => {
  it('are kept without the blanks around them', () => assert.equal(checkedName('  a b\t'), 'a b'));

  it('are refused when they are blank or too long, counted in characters', () => {
    for (const blank of ['', '  ', '\t\n', '\u00a0'])
      assert.deepEqual(
        fieldsOf(() => checkedName(blank)),
        [['name', 'must not be empty']],
      );
    assert.equal(checkedName(FACE.repeat(255)), FACE.repeat(255));
    assert.deepEqual(
      fieldsOf(() => checkedName(FACE.repeat(256))),
      [['name', 'must have at most 255 characters']],
    );
  });

  it('have one key in any case and with any blanks around them, which fits its column', () => {
    assert.equal(keyOf(' ShOp '), 'shop');
    assert.equal(Array.from(keyOf('İ'.repeat(255))).length, 255);
  });
});

describe('texts', () => {
  it('are cut between characters', () => {
    assert.equal(cut('abc', 3), 'abc');
    assert.equal(cut(FACE.repeat(3), 2), FACE.repeat(2));
  });

  it('are lists without their blank parts', () => {
    assert.deepEqual(partsOf(' a, ,b,'), ['a', 'b']);
    assert.deepEqual(partsOf('a, b;c', ';'), ['a, b', 'c']);
  });
});

describe('what is wrong with fields', () => {
  it('is said all at once', () => {
    const errors = new FieldErrors();
    assert.equal(trimmedText(errors, 'note', ' x ', 1), 'x');
    trimmedText(errors, 'zip', 'xx', 1);
    trimmedName(errors, 'name', ' ');
    errors.rule('color', true, 'must be red').rule('price', false, 'must be low');
    assert.deepEqual(
      fieldsOf(() => errors.refuse()),
      [
        ['zip', 'must have at most 1 characters'],
        ['name', 'must not be empty'],
        ['price', 'must be low'],
      ],
    );
  });

  it('refuses nothing where nothing is wrong', () => new FieldErrors().rule('name', true, 'must be there').refuse());

  it('is a sentence where nobody answers it as a surface does', () =>
    assert.throws(() => refuseField('name', 'is reserved'), { code: 'invalid_input', message: 'name is reserved.' }));
});
