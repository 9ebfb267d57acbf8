import { fromJson, toJson } from '../json.ts';
import { longText, type Migration } from './columns.ts';

/**
 * Adds the verdict of each job item for its current stage, and the reason why a stage stopped a job. The columns
 * `flawed` of both tables remain for processes of the former release that run at the same time. They are not written
 * any more.
 */
export const judgeStages: Migration = {
  name: '20261124T1430_judge_stages',
  async up(knex) {
    await knex.schema.alterTable('job_items', (table) => void table.string('verdict', 16));
    await knex.schema.alterTable('jobs', (table) => void longText(table, 'stage_stop'));
    const staged = knex('jobs').whereNotNull('stages');
    await knex('job_items').where({ flawed: 1 }).update({ verdict: 'flawed' });
    await knex('job_items')
      .where({ state: 'succeeded', flawed: 0 })
      .whereIn('job_id', staged.clone().select('id'))
      .update({ verdict: 'proven' });
    const stopped = await staged
      .clone()
      .whereNotNull('stopped_stage')
      .select<{ id: string; stages: string; flawed: number }[]>('id', 'stages', 'flawed');
    for (const { id, stages, flawed } of stopped) {
      const limit = fromJson<{ stopAfter: number }>(stages)?.stopAfter ?? 1;
      await knex('jobs')
        .where({ id })
        .update({ stage_stop: toJson({ why: 'flawed', count: flawed, limit }) });
    }
  },
  async down(knex) {
    await knex.raw('alter table ?? drop column ??', ['jobs', 'stage_stop']);
    await knex.raw('alter table ?? drop column ??', ['job_items', 'verdict']);
  },
};
