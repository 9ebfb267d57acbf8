/**
 * Baseline of a sync: `bare-sync.ts <file> <at once>`, with the URLs of the sites as a JSON list in the file. Calls
 * each site with got, signs the call with a parsed key, and inserts a row, without any code of the service. Prints the
 * processor time per site in milliseconds and the bytes of an average response as JSON.
 */
import { randomInt, sign, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DatabaseSync } from '@photostructure/sqlite';
import got from 'got';
import { createPool } from 'mysql2/promise';
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

const TABLE = 'create table bare_reports (site_id bigint, received_at bigint, bytes int)';
const ROW = 'insert into bare_reports values (?, ?, ?)';

// A file that nothing refers to is closed, although a statement of it is in use.
const sqlite = DATABASE_URL ? null : new DatabaseSync(join(SITEFLEET_DATA_DIR ?? '', 'bare.db'));
const mysql = DATABASE_URL ? createPool(DATABASE_URL) : null;
sqlite?.exec(`pragma journal_mode = wal; pragma synchronous = normal; ${TABLE}`);
await mysql?.query(TABLE);
const statement = sqlite?.prepare(ROW);

const urls = JSON.parse(await readFile(file, 'utf8')) as string[];
const pool = loadKeyPool();
const keys = urls.map((_url, index) => privateKeyAt(pool, index));
let received = 0;

async function sync(index: number): Promise<void> {
  const nonce = String(randomInt(2 ** 47));
  const signature = await signAsync('sha256', Buffer.from(`stats${nonce}`), keys[index] as KeyObject);
  const { body, statusCode } = await got.post(`${urls[index]}wp-admin/admin-ajax.php`, {
    form: { ...FIELDS, nonce, mainwpsignature: signature.toString('base64') },
    responseType: 'buffer',
    retry: { limit: 0 },
  });
  if (statusCode !== 200 || !body.includes('<mainwp>')) throw new Error(`${urls[index]} answered ${statusCode}.`);
  received += body.length;
  const row = [index + 1, Date.now(), body.length];
  statement?.run(...row);
  await mysql?.execute(ROW, row);
}

async function syncAll(): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < urls.length) await sync(next++);
  };
  await Promise.all(Array.from({ length: Number(atOnce) }, work));
}

// The first signature of a parsed key takes twice as long as a later one.
await syncAll();
received = 0;
const before = process.cpuUsage();
await syncAll();
const { user, system } = process.cpuUsage(before);
const perSite = (user + system) / 1000 / urls.length;
console.log(JSON.stringify({ perSite, bytes: Math.round(received / urls.length) }));
process.exit(0);
