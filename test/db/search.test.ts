import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import { whereTextContains } from '../../src/db/search.ts';
import { withFreshDatabase } from '../support/database.ts';

// Other columns of the table than `name` do not matter here.
const tag = (name: string, index: number) => ({ name, name_key: String(index), created_at: 1, updated_at: 1 });

describe('search in texts', () => {
  let knex: Knex;
  withFreshDatabase(({ database }) => (knex = database.knex));

  it('when a text has letters outside ASCII, then case does not matter', async () => {
    const names = ['Übersicht', 'DAS ÜBER-ICH', 'uber', 'ΑΘΗΝΑ', 'Été & Co', 'a[b]c', 'A*B', 'Straße [neu]', 'ÜÜ?'];
    await knex('tags').insert(names.map(tag));
    const found = async (search: string): Promise<string[]> => {
      const query = knex('tags');
      whereTextContains(query, search, 'name');
      return query.orderBy('id').pluck<string[]>('name');
    };
    const CASES: [search: string, expected: string[]][] = [
      ['über', ['Übersicht', 'DAS ÜBER-ICH']],
      ['ÜBER', ['Übersicht', 'DAS ÜBER-ICH']],
      ['über-i', ['DAS ÜBER-ICH']],
      ['u\u0308ber', ['Übersicht', 'DAS ÜBER-ICH']],
      ['uber', ['uber']],
      ['θην', ['ΑΘΗΝΑ']],
      ['ÉTÉ', ['Été & Co']],
      ['STRAßE [N', ['Straße [neu]']],
      ['ÜÜ?', ['ÜÜ?']],
      ['Ü*', []],
      ['[üx]', []],
      ['a*b', ['A*B']],
      ['A[B', ['a[b]c']],
      ['  ', names],
    ];
    for (const [search, expected] of CASES) assert.deepEqual(await found(search), expected, search);
  });
});
