import assert from 'node:assert/strict';
import { parseFieldValue } from '../../src/client-cli/field-value.ts';

describe('values of fields on the command line', () => {
  for (const [type, texts, value] of [
    ['string', ['12'], '12'],
    ['string', ['"12"'], '"12"'],
    ['string', ['null'], 'null'],
    ['null|string', ['null'], null],
    ['null|string', ['false'], 'false'],
    ['integer|string', ['12'], 12],
    ['integer|string', ['007'], '007'],
    ['integer|string', ['1.10'], '1.10'],
    ['integer|string', ['shop.example'], 'shop.example'],
    ['boolean|integer|null|string', ['true'], true],
    ['array<integer>', ['3'], [3]],
    ['array<integer>', ['3,4'], [3, 4]],
    ['array<integer>', ['[3]'], [3]],
    ['array<integer>', ['3', '4'], [3, 4]],
    ['array<integer>|null', ['null'], null],
    ['array<string>', ['12'], ['12']],
    ['array<string>', ['a,b'], ['a,b']],
    ['array<string>', ['["a"]'], ['a']],
    ['array<string>', ['12', 'true'], ['12', 'true']],
    ['array<integer|string>', ['3,shop.example'], [3, 'shop.example']],
    ['array<integer>|string', ['3,4'], '3,4'],
    ['', ['12'], 12],
    ['', ['{"a":1}'], { a: 1 }],
    ['', ['text'], 'text'],
    ['', ['1', 'b'], [1, 'b']],
  ] as const)
    it(`when a field of the type "${type}" is given ${texts.join(' and ')}, then the value is ${JSON.stringify(value)}`, () => {
      assert.deepEqual(parseFieldValue(type, texts), value);
    });

  for (const [texts, value] of [
    [['a,b'], ['a', 'b']],
    [['["a,b"]'], ['a,b']],
    [
      ['a,b', 'c'],
      ['a,b', 'c'],
    ],
  ] as const)
    it(`when a list in a query is given ${texts.join(' and ')}, then the value is ${JSON.stringify(value)}`, () => {
      assert.deepEqual(parseFieldValue('array<string>', texts, true), value);
    });
});
