import { text } from '../protocol/form.ts';
import { answer, type Reply } from '../protocol/reply.ts';
import { seconds, type Call } from './call.ts';

/**
 * The child's built-in backup and its other ways to write files; a dashboard must keep the names, there is no list
 * (4.8).
 */

/** A zip of a small database. */
const PACKED_SHARE = 0.05;
const KEPT_SECONDS = 3 * 3600;

/** Only the database; files of more than three hours go when the next one comes. */
export function backup(call: Call): Reply {
  const { state, fields } = call;
  if (text(fields, 'type') !== 'db') return answer({ full: false, db: false });
  const now = seconds(call);
  for (const [name, { made }] of state.backups) if (now - made > KEPT_SECONDS) state.backups.delete(name);
  const name = `dbBackup-${text(fields, 'fileUID')}-${now}.sql.zip`;
  const size = Math.round(state.databaseBytes * PACKED_SHARE);
  state.backups.set(name, { made: now, size });
  return answer({ db: name, size, full: false });
}

/** Also for a file that is not there. */
export function deleteBackup({ state, fields }: Call): Reply {
  state.backups.delete(text(fields, 'del'));
  return answer({ result: 'ok' });
}

/** No backup of files ever runs here. */
export const backupCheckPid = (): Reply => answer({ status: 'invalid' });
export const createBackupPoll = (): Reply => answer([]);

export const dumpDatabase = (): Reply => answer({ result: 'GOOD', output: [], res: 0 });

/** The site fetches an address and writes what it gets wherever it is told, below its root. */
export function uploaderAction({ state, fields, defects }: Call): Reply {
  const [url, path, filename] = ['url', 'path', 'filename'].map((name) => text(fields, name));
  if (!url || !path) return answer([]);
  if (defects.failingPackages.has(url)) return answer({ error: 'Error 404: Not Found' });
  state.uploads.add(`${path}/${filename}`);
  return answer({ success: true });
}
