import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import mysql, { type Connection } from 'mysql2/promise';
import { freePort } from './free-port.ts';
import { createMemoryFolder } from './memory-folder.ts';
import { createDatabase } from './server-database.ts';

/** MariaDB server in a temporary folder. It is not durable, because its data is not kept. */
export interface PrivateMariadb {
  /** `mysql://user:password@host:port/` with the right to create databases. */
  url: string;
  pid(): number;
  /** Stops the server from answering until `thaw` is called. */
  freeze(): void;
  thaw(): void;
  /** Ends the server with SIGKILL. Only a careful server keeps all committed transactions. */
  kill(): Promise<void>;
  /** Starts the server again after `kill`. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const UNSAFE_FAST_OPTIONS = [
  '--innodb-flush-log-at-trx-commit=0',
  '--innodb-flush-method=nosync',
  '--innodb-doublewrite=0',
  '--skip-log-bin',
  '--performance-schema=OFF',
  // Creating and dropping a table takes half the time without a file per table and persistent statistics.
  '--innodb-file-per-table=OFF',
  '--innodb-stats-persistent=OFF',
  '--sync-frm=OFF',
];

export const mariadbIsInstalled = (): boolean => spawnSync('mariadbd', ['--version']).status === 0;

interface MariadbOptions {
  careful?: boolean;
  /** Address at which the server listens. Default: 127.0.0.1. */
  host?: '127.0.0.1' | '::1';
  /** Further options of `mariadbd`, such as `--innodb-snapshot-isolation=OFF`. */
  options?: readonly string[];
}

export async function startMariadb({
  careful = false,
  host = '127.0.0.1',
  options = [],
}: MariadbOptions = {}): Promise<PrivateMariadb> {
  const folder = await mkdtemp(join(careful ? tmpdir() : await createMemoryFolder(), 'sitefleet-mariadb-'));
  const user = userInfo().username;
  const install = spawnSync(
    'mariadb-install-db',
    [
      '--no-defaults',
      `--datadir=${folder}/data`,
      `--user=${user}`,
      '--auth-root-authentication-method=normal',
      '--skip-test-db',
    ],
    { encoding: 'utf8' },
  );
  if (install.status !== 0) throw new Error(`mariadb-install-db failed: ${install.stderr}${install.stdout}`);
  await mkdir(`${folder}/tmp`);
  const port = await freePort();
  const start = (): ChildProcess =>
    spawn(
      'mariadbd',
      [
        '--no-defaults',
        `--datadir=${folder}/data`,
        // Each server deletes the temporary tables in this folder when it starts, also those of other servers.
        `--tmpdir=${folder}/tmp`,
        `--user=${user}`,
        `--socket=${folder}/mariadb.sock`,
        `--pid-file=${folder}/mariadb.pid`,
        `--port=${port}`,
        `--bind-address=${host}`,
        '--skip-name-resolve',
        '--max-connections=300',
        '--innodb-buffer-pool-size=256M',
        // The default from MariaDB 11.6.2 on. Old servers do not know it.
        '--loose-innodb-snapshot-isolation=ON',
        ...(careful ? [] : UNSAFE_FAST_OPTIONS),
        ...options,
      ],
      { stdio: 'ignore' },
    );
  let server = start();
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const exited = once(server, 'exit');
    server.kill(signal);
    await exited;
  };
  const whenReady = async (prepare: (connection: Connection) => Promise<void>): Promise<void> => {
    const connection = await connected(`${folder}/mariadb.sock`, server);
    await prepare(connection);
    await connection.end();
  };
  try {
    await whenReady((connection) => createUser(connection, host));
  } catch (error) {
    server.kill();
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
  return {
    url: `mysql://sitefleet:sitefleet@${host === '::1' ? '[::1]' : host}:${port}/`,
    pid: () => server.pid ?? 0,
    freeze: () => void server.kill('SIGSTOP'),
    thaw: () => void server.kill('SIGCONT'),
    kill: () => end('SIGKILL'),
    restart: async () => {
      server = start();
      await whenReady(() => Promise.resolve());
    },
    stop: async () => {
      await end('SIGTERM');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function connected(socketPath: string, server: ChildProcess): Promise<Connection> {
  for (let attempt = 0; attempt < 200; attempt++) {
    if (server.exitCode !== null) throw new Error(`mariadbd ended with ${server.exitCode}.`);
    try {
      return await mysql.createConnection({ socketPath, user: 'root' });
    } catch {
      await sleep(50);
    }
  }
  throw new Error('mariadbd did not answer.');
}

async function createUser(connection: Connection, host: string): Promise<void> {
  await connection.query(`create user 'sitefleet'@'${host}' identified by 'sitefleet'`);
  await connection.query(`grant all on *.* to 'sitefleet'@'${host}'`);
}

/** Creates an empty database. Returns its URL. */
export async function createMariadbDatabase({ url }: PrivateMariadb, name: string): Promise<string> {
  const database = await createDatabase(url, name);
  await database.connection.end();
  return database.url;
}
