import type { Knex } from 'knex';
import { isMysql } from '../dialect.ts';
import type { Migration } from './columns.ts';

const CONTEXTS = [
  ['plugins', 'plugin'],
  ['themes', 'theme'],
  ['core', 'wordpress'],
] as const;

/**
 * Gives change types the same spelling for all logs. Identifies an entry of a child's changes log by its number and its
 * time in seconds, because the child starts again at number one when a log is cleared.
 */
export const spellChangesOneWay: Migration = {
  name: '20261122T0310_spell_changes_one_way',
  async up(knex) {
    const joined = createSqlConcat(knex);
    for (const [from, to] of CONTEXTS)
      await knex('changes')
        .where('type', 'like', `${from}.%`)
        .update({ type: knex.raw(joined('?', 'substr(type, ?)'), [to, from.length + 1]) });
    await childLogChanges(knex).update({ type: knex.raw(`replace(replace(type, '-', '_'), '.modified', '.updated')`) });
    const second = isMysql(knex) ? 'at div 1000' : 'at / 1000';
    await childLogChanges(knex)
      .whereNot('external_id', 'like', '%.%')
      .update({ external_id: knex.raw(joined('external_id', `'.'`, second)) });
  },
  async down(knex) {
    await childLogChanges(knex)
      .where('external_id', 'like', '%.%')
      .update({ external_id: knex.raw(`substr(external_id, 1, instr(external_id, '.') - 1)`) });
    const joined = createSqlConcat(knex);
    for (const [to, from] of CONTEXTS.slice(0, 2))
      await knex('changes')
        .where('type', 'like', `${from}.%`)
        .where({ source: 'child_actions' })
        .update({ type: knex.raw(joined('?', 'substr(type, ?)'), [to, from.length + 1]) });
  },
};

const childLogChanges = (knex: Knex): Knex.QueryBuilder => knex('changes').where({ source: 'child_changes' });

const createSqlConcat =
  (knex: Knex) =>
  (...parts: string[]): string =>
    isMysql(knex) ? `concat(${parts.join(', ')})` : parts.map((part) => `(${part})`).join(' || ');
