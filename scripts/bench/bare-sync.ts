/**
 * Two baselines of a sync: `bare-sync.ts <file> <at once>`, with the URLs of the sites as a JSON list in the file. Both
 * call each site with got and sign the call with a parsed key, without any code of the service. The first one inserts a
 * row. The second one does the least that a sync of an unchanged site needs: it parses the response, compares its hash
 * with the stored one, and updates a row. Prints the processor times per site in milliseconds and the bytes of an
 * average response as JSON.
 */
import { hash, randomInt, sign, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DatabaseSync } from '@photostructure/sqlite';
import got from 'got';
import { createPool, type ResultSetHeader } from 'mysql2/promise';
import { DASHBOARD_URL, loadKeyPool, privateKeyAt } from './keys.ts';

const [file = '', atOnce = '32'] = process.argv.slice(2);
const { DATABASE_URL, SITEFLEET_DATA_DIR } = process.env;
const signAsync = promisify(sign);

const SECTIONS = [
  ...['wp_updates', 'plugin_updates', 'theme_updates', 'translation_updates', 'securityStats', 'plugins', 'themes'],
  ...['plugins_outdate_info', 'themes_outdate_info', 'health_site_status', 'child_site_actions_data'],
  ...['primaryLasttimeBackup', 'recent_comments', 'recent_posts', 'recent_pages'],
];
const FIELDS = {
  user: 'admin',
  function: 'stats',
  mainwpver: '6.1.0',
  optimize: '0',
  server: DASHBOARD_URL,
  syncdata: JSON.stringify(Object.fromEntries(SECTIONS.map((name) => [name, 1]))),
  numberdaysOutdatePluginTheme: '365',
  recent_number: '5',
  // After all entries of the log, as in the second sync of a site.
  child_actions_last_created: '9999999999',
  sign_algo: '7',
};

const SITES_A_TURN = 250;
const TABLES = [
  'create table bare_reports (site_id bigint, received_at bigint, bytes int)',
  'create table bare_states (site_id bigint primary key, received_at bigint, hash varchar(64))',
];
type Row = (string | number)[];

// A file that nothing refers to is closed, although a statement of it is in use.
const sqlite = DATABASE_URL ? null : new DatabaseSync(join(SITEFLEET_DATA_DIR ?? '', 'bare.db'));
const mysql = DATABASE_URL ? createPool(DATABASE_URL) : null;
sqlite?.exec(`pragma journal_mode = wal; pragma synchronous = normal; ${TABLES.join('; ')}`);
for (const table of TABLES) await mysql?.query(table);

/** Returns a function that runs the statement and returns how many rows it has changed. */
function prepare(sql: string): (row: Row) => Promise<number> {
  if (mysql)
    return async (row) => {
      const [result] = await mysql.execute<ResultSetHeader>(sql, row);
      return result.affectedRows;
    };
  const statement = sqlite?.prepare(sql);
  return (row) => Promise.resolve(Number(statement?.run(...row).changes));
}

const insertReport = prepare('insert into bare_reports values (?, ?, ?)');
const insertState = prepare('insert into bare_states values (?, ?, ?)');
const confirmState = prepare('update bare_states set received_at = ? where site_id = ? and hash = ?');

const urls = JSON.parse(await readFile(file, 'utf8')) as string[];
const pool = loadKeyPool();
const keys = urls.map((_url, index) => privateKeyAt(pool, index));
let received = 0;

async function call(index: number): Promise<Buffer> {
  const nonce = String(randomInt(2 ** 47));
  const signature = await signAsync('sha256', Buffer.from(`stats${nonce}`), keys[index] as KeyObject);
  const { body, statusCode } = await got.post(`${urls[index]}wp-admin/admin-ajax.php`, {
    form: { ...FIELDS, nonce, mainwpsignature: signature.toString('base64') },
    responseType: 'buffer',
    retry: { limit: 0 },
  });
  if (statusCode !== 200 || !body.includes('<mainwp>')) throw new Error(`${urls[index]} answered ${statusCode}.`);
  received += body.length;
  return body;
}

async function sync(index: number): Promise<void> {
  const { length } = await call(index);
  await insertReport([index + 1, Date.now(), length]);
}

async function syncUnchanged(index: number): Promise<void> {
  const text = (await call(index)).toString('latin1');
  const frame = text.slice(text.indexOf('<mainwp>') + 8, text.indexOf('</mainwp>'));
  const report = JSON.parse(Buffer.from(frame, 'base64').toString()) as object;
  // WordPress encodes the addresses of commenters in another way each time.
  const digest = hash('sha256', JSON.stringify({ ...report, recent_comments: null }));
  const isKnown = (await confirmState([Date.now(), index + 1, digest])) === 1;
  if (!isKnown) await insertState([index + 1, Date.now(), digest]);
}

async function forEach(indexes: readonly number[], work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const workOff = async (): Promise<void> => {
    while (next < indexes.length) await work(indexes[next++] ?? 0);
  };
  await Promise.all(Array.from({ length: Number(atOnce) }, workOff));
}

/** Returns the used processor time in milliseconds. */
async function timeOf(indexes: readonly number[], work: (index: number) => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await forEach(indexes, work);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const all = urls.map((_url, index) => index);
// The first signature of a parsed key takes twice as long as a later one, and the first report of a site is stored.
await forEach(all, sync);
await forEach(all, syncUnchanged);
received = 0;
let [bareMs, unchangedMs] = [0, 0];
const distance = Math.floor(all.length / 2);
// The loops take turns, so that other load on the machine slows down both. They are half a fleet apart, so that neither
// finds an open connection of the other.
for (let from = 0; from < all.length; from += SITES_A_TURN) {
  const some = all.slice(from, from + SITES_A_TURN);
  bareMs += await timeOf(some, sync);
  unchangedMs += await timeOf(
    some.map((index) => (index + distance) % all.length),
    syncUnchanged,
  );
}
const [perSite, unchangedPerSite] = [bareMs / all.length, unchangedMs / all.length];
console.log(JSON.stringify({ perSite, unchangedPerSite, bytes: Math.round(received / (2 * all.length)) }));
process.exit(0);
