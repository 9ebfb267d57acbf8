import type { Knex } from 'knex';

interface LoggedChange {
  site_id: number | null;
  source: string;
  type: string;
  description: string;
  actor: string;
}

/** These columns of the log of changes, oldest first. */
export async function loggedChanges<Column extends keyof LoggedChange>(
  knex: Knex,
  ...columns: Column[]
): Promise<Pick<LoggedChange, Column>[]> {
  const rows: object[] = await knex('changes').orderBy('id').select(columns);
  return rows.map((row) => ({ ...row }) as Pick<LoggedChange, Column>);
}
