import assert from 'node:assert/strict';
import {
  encodeForm,
  percentEncodePassword,
  escapePasswordQuotes,
  type FormFields,
} from '../../src/connector/form-encoding.ts';

describe('form encoding', () => {
  const table: [FormFields, string][] = [
    [{ a: 'b c' }, 'a=b+c'],
    [{ a: "-_.~!*'()" }, 'a=-_.%7E%21%2A%27%28%29'],
    [{ a: '+/=&%' }, 'a=%2B%2F%3D%26%25'],
    [{ a: 'ä€\u{1F600}' }, 'a=%C3%A4%E2%82%AC%F0%9F%98%80'],
    [{ a: 'x\ud800y' }, 'a=x%EF%BF%BDy'],
    [{ a: '\n\0"\\' }, 'a=%0A%00%22%5C'],
    [{ a: true, b: false, c: 0, d: 1.5 }, 'a=1&b=0&c=0&d=1.5'],
    [{ a: null, b: [], c: {}, d: undefined, e: '' }, 'e='],
    [{ a: ['x', 'y'] }, 'a%5B0%5D=x&a%5B1%5D=y'],
    [{ a: { b: { c: 1 }, d: [null, 2] } }, 'a%5Bb%5D%5Bc%5D=1&a%5Bd%5D%5B1%5D=2'],
    [{ 'k y': 1 }, 'k+y=1'],
  ];
  for (const [fields, wanted] of table) {
    it(`when fields are ${JSON.stringify(fields)}, then the form is ${wanted}`, () =>
      assert.equal(encodeForm(fields), wanted));
  }
});

describe('passwords', () => {
  it('when a password is sent, then it is percent-encoded by RFC 3986 and again by the form encoding', () => {
    assert.equal(percentEncodePassword("a b'!*()~-_."), 'a%20b%27%21%2A%28%29~-_.');
    assert.equal(encodeForm({ userpwd: percentEncodePassword("p' +%") }), 'userpwd=p%2527%2520%252B%2525');
    assert.equal(percentEncodePassword('pä"\\'), 'p%C3%A4%22%5C');
  });

  it('when a password has quotes or backslashes, then it has a second form with slashes', () => {
    assert.equal(escapePasswordQuotes('plain pass'), null);
    assert.equal(escapePasswordQuotes(`a'b"c\\d`), `a\\'b\\"c\\\\d`);
  });
});
