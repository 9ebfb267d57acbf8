import assert from 'node:assert/strict';
import { InvalidError } from '../../src/shared/errors.ts';
import { FieldErrors, throwFieldError } from '../../src/shared/field-errors.ts';
import { checkedName, truncate, nameKeyOf, splitList, trimmedName, trimmedText } from '../../src/shared/text.ts';

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
  it('when a name has blanks around it, then they are removed', () => assert.equal(checkedName('  a b\t'), 'a b'));

  it('when a name is blank or too long in characters, then it is rejected', () => {
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

  it('when names differ in case or outer blanks, then they have the same key, which fits its column', () => {
    assert.equal(nameKeyOf(' ShOp '), 'shop');
    assert.equal(Array.from(nameKeyOf('İ'.repeat(255))).length, 255);
  });
});

describe('texts', () => {
  it('when a text is cut, then no character is split', () => {
    assert.equal(truncate('abc', 3), 'abc');
    assert.equal(truncate(FACE.repeat(3), 2), FACE.repeat(2));
  });

  it('when a list is split, then blank parts are omitted', () => {
    assert.deepEqual(splitList(' a, ,b,'), ['a', 'b']);
    assert.deepEqual(splitList('a, b;c', ';'), ['a, b', 'c']);
  });
});

describe('field errors', () => {
  it('when several fields are invalid, then one error has all of them', () => {
    const errors = new FieldErrors();
    assert.equal(trimmedText(errors, 'note', ' x ', 1), 'x');
    trimmedText(errors, 'zip', 'xx', 1);
    trimmedName(errors, 'name', ' ');
    errors.require('color', true, 'must be red').require('price', false, 'must be low');
    assert.deepEqual(
      fieldsOf(() => errors.throwIfAny()),
      [
        ['zip', 'must have at most 1 characters'],
        ['name', 'must not be empty'],
        ['price', 'must be low'],
      ],
    );
  });

  it('when no field is invalid, then no error is thrown', () =>
    new FieldErrors().require('name', true, 'must be there').throwIfAny());

  it('when no surface formats the error, then its message is a sentence', () =>
    assert.throws(() => throwFieldError('name', 'is reserved'), {
      code: 'invalid_input',
      message: 'name is reserved.',
    }));
});
