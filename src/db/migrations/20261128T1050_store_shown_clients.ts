import type { Migration } from './columns.ts';

const TABLES = ['kept_reports', 'mails'];

/**
 * Adds the ID of the client whose data a report or a mail shows. The column is no foreign key, because the ID must
 * remain when the client is deleted: only callers who could see the client may read these rows. Also removes the client
 * name from changes that say that a site was suspended with its client, because callers who see the site may not see
 * that client.
 */
export const storeShownClients: Migration = {
  name: '20261128T1050_store_shown_clients',
  up: async (knex) => {
    for (const name of TABLES)
      await knex.schema.alterTable(name, (table) => {
        table.integer('shown_client_id').unsigned();
      });
    await knex('kept_reports').update({ shown_client_id: knex.ref('client_id') });
    const clientsOfReports = knex('kept_report_mails')
      .join('kept_reports', 'kept_reports.id', 'kept_report_mails.report_id')
      .where('kept_report_mails.mail_id', knex.ref('mails.id'))
      .max('kept_reports.client_id');
    await knex('mails').where({ type: 'report' }).update({ shown_client_id: clientsOfReports });
    const marker = ' together with the client ';
    await knex('changes')
      .whereIn('type', ['site.suspended', 'site.unsuspended'])
      .where('source', 'dashboard')
      .whereRaw('instr(description, ?) > 0', [marker])
      .update({
        description: knex.raw('replace(description, substr(description, instr(description, ?)), ?)', [
          marker,
          ' together with its client.',
        ]),
      });
  },
  down: async (knex) => {
    for (const name of TABLES) await knex.raw('alter table ?? drop column ??', [name, 'shown_client_id']);
  },
};
