import type { Knex } from 'knex';
import { createTable, dropTables, flag, longText, time, type Migration } from './columns.ts';

export const createPerformanceAudits: Migration = {
  name: '20261122T1225_create_performance_audits',
  up: async (knex) => {
    await createTable(knex, 'perf_audits', (table) => {
      table.integer('site_id').unsigned().primary().references('sites.id').onDelete('CASCADE');
      table.string('audit_id', 36);
      table.string('state', 16).notNullable();
      table.string('strategy', 8);
      table.string('job_id', 64);
      table.string('engine', 16);
      time(table, 'queued_at');
      time(table, 'started_at');
      time(table, 'last_check_at');
      table.string('error_code', 32);
      table.string('error_message', 500);
      // True if a score was too low in the last audit that succeeded. Users are notified when this becomes true.
      flag(table, 'is_below').notNullable();
      table.index(['job_id'], 'perf_audits_job');
    });
    await createTable(knex, 'perf_audit_sides', (table) => {
      table.integer('site_id').unsigned().notNullable().references('sites.id').onDelete('CASCADE');
      table.string('strategy', 8).notNullable();
      scores(table);
      longText(table, 'details').notNullable();
      table.primary(['site_id', 'strategy']);
    });
    await createTable(knex, 'perf_audit_history', (table) => {
      table.bigIncrements('id');
      table.integer('site_id').unsigned().notNullable().references('sites.id').onDelete('CASCADE');
      table.string('audit_id', 36).notNullable();
      table.string('strategy', 8).notNullable();
      time(table, 'fetched_at').notNullable();
      scores(table);
      table.index(['site_id', 'fetched_at'], 'perf_audit_history_order');
      table.index(['fetched_at'], 'perf_audit_history_age');
    });
  },
  down: (knex) => dropTables(knex, 'perf_audit_history', 'perf_audit_sides', 'perf_audits'),
};

/** Adds score columns: 0 to 100, or null if the audit has no score. */
function scores(table: Knex.CreateTableBuilder): void {
  for (const name of ['performance', 'accessibility', 'best_practices', 'seo']) table.integer(name);
}
