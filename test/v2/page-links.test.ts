import assert from 'node:assert/strict';
import { pageHeaders } from '../../src/surfaces/v2/paging.ts';

const ADDRESS = 'https://fleet.example/api/v2/sites';
const page = (number: number) => ({ items: [], page: number, perPage: 20, total: 50 });

describe('links between pages', () => {
  it('when a page is in the middle, then it links to all others with the query of the call', () => {
    const query = { page: 2, per_page: 20, search: 'a b&c', status: undefined, include: [1, 2] };
    const at = (to: number) => `${ADDRESS}?search=a+b%26c&include=1%2C2&page=${to}&per_page=20`;
    assert.deepEqual(pageHeaders(page(2), ADDRESS, query), {
      'X-WP-Total': '50',
      'X-WP-TotalPages': '3',
      Link: `<${at(1)}>; rel="first", <${at(1)}>; rel="prev", <${at(3)}>; rel="next", <${at(3)}>; rel="last"`,
    });
  });

  it('when the call has no other parameter, then the links have the two of the page', () => {
    const { Link: link } = pageHeaders(page(1), ADDRESS, { page: 1, per_page: 20 });
    assert.equal(link, `<${ADDRESS}?page=2&per_page=20>; rel="next", <${ADDRESS}?page=3&per_page=20>; rel="last"`);
  });

  it('when all links would be too long, then first and last are left out, then prev, then next', () => {
    const relationsFor = (length: number, number = 2): string[] => {
      const { Link: link = '' } = pageHeaders(page(number), ADDRESS, { search: 'a'.repeat(length) });
      assert.ok(link.length <= 8192, `${link.length} characters`);
      return [...link.matchAll(/rel="(\w+)"/g)].map(([, relation = '']) => relation);
    };
    assert.deepEqual(relationsFor(1_900), ['first', 'prev', 'next', 'last']);
    assert.deepEqual(relationsFor(3_900), ['prev', 'next']);
    assert.deepEqual(relationsFor(8_000), ['next']);
    assert.deepEqual(relationsFor(8_200), []);
    assert.deepEqual(relationsFor(3_900, 3), ['first', 'prev']);
    assert.deepEqual(relationsFor(5_000, 3), ['prev']);
  });
});
