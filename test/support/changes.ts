import type { Knex } from 'knex';
import type { World } from './world.ts';

interface LoggedChange {
  site_id: number | null;
  source: string;
  type: string;
  description: string;
  actor: string;
}

/** Returns these columns of the change log, oldest first. */
export async function loggedChanges<Column extends keyof LoggedChange>(
  knex: Knex,
  ...columns: Column[]
): Promise<Pick<LoggedChange, Column>[]> {
  const rows: object[] = await knex('changes').orderBy('id').select(columns);
  return rows.map((row) => ({ ...row }) as Pick<LoggedChange, Column>);
}

interface Change {
  type: string;
  user: string;
  description: string;
}

/** Returns the change log of a site, newest first. */
export const readChangeLog = async (world: World, site: number | string): Promise<Change[]> =>
  (await world.ability('get-site-changes-v1', { site_id_or_domain: site })).changes;

/** Returns the changes that this service logged for a site, with a type like this, oldest first. */
export const readChangesOf = (world: World, id: number, like: string) =>
  world.container.database
    .knex('changes')
    .where({ site_id: id, source: 'dashboard' })
    .where('type', 'like', like)
    .orderBy('id')
    .select<{ type: string; description: string; actor: string }[]>('type', 'description', 'actor');
