import type { Knex } from 'knex';
import { createTableIfMissing, MIGRATIONS_TABLE } from './migration-tables.ts';

const PROGRESS_TABLE = `${MIGRATIONS_TABLE}_progress`;

const SCHEMA_CHANGE = /^\s*(alter|create|drop|rename)\b/i;
const WRITE = /^\s*(insert|update|delete|replace)\b/i;
const READ = /^\s*(select|show)\b/i;

/** Numbers of the errors that MySQL and MariaDB return if a schema change is already in effect. */
const IN_EFFECT = new Set([
  1050, // ER_TABLE_EXISTS_ERROR
  1051, // ER_BAD_TABLE_ERROR
  1054, // ER_BAD_FIELD_ERROR: the column has been renamed
  1060, // ER_DUP_FIELDNAME
  1061, // ER_DUP_KEYNAME
  1068, // ER_MULTIPLE_PRI_KEY
  1091, // ER_CANT_DROP_FIELD_OR_KEY
  1146, // ER_NO_SUCH_TABLE: the table has been renamed
  1176, // ER_KEY_DOES_NOT_EXITS: the index has been renamed
  1826, // ER_FK_DUP_NAME
]);
/** ER_CANT_CREATE_TABLE. MariaDB returns it if a foreign key exists, with the number of that error in the message. */
const FOREIGN_KEY_EXISTS = { errno: 1005, text: 'errno: 121' };
/** ER_BAD_FIELD_ERROR and ER_NO_SUCH_TABLE. */
const REMOVED_LATER = new Set([1054, 1146]);

interface DriverError {
  errno?: number;
  fatal?: boolean;
  message: string;
}

/** Progress of a migration. All statements before the schema change with the number `change` are complete. */
interface Progress {
  change: number;
  /** 1 if the schema change itself may be complete too. */
  is_begun: number;
}

type Statement = string | { sql: string; response?: unknown };
type Send = (connection: unknown, statement: Statement | { sql: string; bindings: unknown[] }) => Promise<unknown>;

export const ensureProgressTable = (knex: Knex): Promise<void> =>
  createTableIfMissing(knex, PROGRESS_TABLE, (table) => {
    table.string('name').primary();
    table.integer('change').notNullable();
    table.integer('is_begun').notNullable();
  });

/**
 * Runs a migration in a transaction on MySQL, so that it can be interrupted at any statement. MySQL commits before each
 * schema change, so the number of the change is stored before it, and a new transaction begins after it. A later run
 * leaves out everything before the stored change: each migration makes the same schema changes in the same order.
 */
export async function resumeMigration(trx: Knex.Transaction, name: string, up: () => Promise<void>): Promise<void> {
  const stored: Progress | undefined = await trx<Progress & { name: string }>(PROGRESS_TABLE)
    .where({ name } as object)
    .first('change', 'is_begun');
  const client = trx.client as { query: Send };
  const send = client.query;
  const store = (connection: unknown, ...values: [change: number, isBegun: number]): Promise<unknown> =>
    send(connection, {
      sql: `replace into ${PROGRESS_TABLE} (name, ${'`change`'}, is_begun) values (?, ?, ?)`,
      bindings: [name, ...values],
    });
  const resumedAt = stored?.change ?? 0;
  let change = 0;

  const changeSchema = async (connection: unknown, statement: Statement): Promise<unknown> => {
    change++;
    if (change < resumedAt) return leaveOut(statement);
    await store(connection, change, 1);
    const outcome = await send(connection, statement).catch(async (error: unknown) => {
      if (change === resumedAt && stored?.is_begun === 1 && isInEffect(error)) return leaveOut(statement);
      // The server has refused the change, so the next run must not take the same error as proof of its effect.
      if (!(error as DriverError).fatal) await store(connection, change, 0);
      throw error;
    });
    await send(connection, 'begin');
    return outcome;
  };

  client.query = (connection, statement) => {
    const sql = typeof statement === 'string' ? statement : statement.sql;
    if (SCHEMA_CHANGE.test(sql)) return changeSchema(connection, statement);
    if (change < resumedAt && WRITE.test(sql)) return Promise.resolve(leaveOut(statement));
    if (change < resumedAt && READ.test(sql))
      return send(connection, statement).catch((error: unknown) => {
        if (REMOVED_LATER.has((error as DriverError).errno ?? 0)) return leaveOut(statement);
        throw error;
      });
    return send(connection, statement);
  };
  try {
    await up();
  } finally {
    client.query = send;
  }
  await trx(PROGRESS_TABLE).where({ name }).delete();
}

function isInEffect(error: unknown): boolean {
  const { errno = 0, message } = error as DriverError;
  return IN_EFFECT.has(errno) || (errno === FOREIGN_KEY_EXISTS.errno && message.includes(FOREIGN_KEY_EXISTS.text));
}

/** Answers a statement like the driver, with no rows and no changes. */
function leaveOut(statement: Statement): unknown {
  const response = [Object.assign([], { affectedRows: 0, insertId: 0 }), []];
  return typeof statement === 'string' ? { sql: statement, response } : Object.assign(statement, { response });
}
