import { randomBytes } from 'node:crypto';
import mysql, { type Connection } from 'mysql2/promise';

/** Database on a server, with a connection that no service uses. */
export interface ServerDatabase {
  readonly name: string;
  readonly url: string;
  readonly connection: Connection;
}

/** Creates an empty database. `server` is a URL with the right to do so. */
export async function createDatabase(
  server: string,
  name = `sitefleet_test_${randomBytes(6).toString('hex')}`,
): Promise<ServerDatabase> {
  // The driver looks up the host of a URL as a name, with the brackets of an IPv6 address.
  const host = new URL(server).hostname.replace(/^\[(.*)\]$/, '$1');
  const connection = await mysql.createConnection({ uri: server, host, multipleStatements: true, timezone: 'Z' });
  await connection.query('create database ??', [name]);
  await connection.changeUser({ database: name });
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { name, url: url.href, connection };
}

export async function dropDatabase({ name, connection }: ServerDatabase): Promise<void> {
  await connection.query('drop database ??', [name]);
  await connection.end();
}
