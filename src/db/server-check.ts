import { StartupError } from '../shared/startup-error.ts';
import type { Database } from './database.ts';

export async function checkServerBinlogFormat({ knex, dialect }: Database): Promise<void> {
  if (dialect !== 'mysql') return;
  const query = knex.raw("show variables where variable_name in ('log_bin', 'binlog_format')");
  const [rows] = (await query) as [{ Variable_name: string; Value: string }[]];
  const { log_bin, binlog_format } = Object.fromEntries(rows.map((row) => [row.Variable_name, row.Value]));
  if (log_bin === 'ON' && binlog_format === 'STATEMENT')
    throw new StartupError(
      'The database server has binlog_format=STATEMENT, which allows no writes at READ COMMITTED. ' +
        'Set binlog_format to MIXED or ROW.',
    );
}
