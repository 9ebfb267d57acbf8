import { deleteFile, putPhpFile } from '../guard-files.ts';
import { textField } from '../protocol/form.ts';
import { frameReply, type Reply } from '../protocol/reply.ts';
import { unixSecondsOf, type Call } from './call.ts';

/**
 * This file simulates the child's built-in backup and its other functions that write files. No function lists the
 * backups, so a dashboard must store their names (protocol 4.8).
 */

const PACKED_SHARE = 0.05;
const KEPT_SECONDS = 3 * 3600;

export function backup(call: Call): Reply {
  const { state, fields } = call;
  if (textField(fields, 'type') !== 'db') return frameReply({ full: false, db: false });
  const now = unixSecondsOf(call);
  for (const [name, { made }] of state.backups) if (now - made > KEPT_SECONDS) state.backups.delete(name);
  const name = `dbBackup-${textField(fields, 'fileUID')}-${now}.sql.zip`;
  const size = Math.round(state.databaseBytes * PACKED_SHARE);
  state.backups.set(name, { made: now, size });
  return frameReply({ db: name, size, full: false });
}

export function deleteBackup({ state, fields }: Call): Reply {
  state.backups.delete(textField(fields, 'del'));
  return frameReply({ result: 'ok' });
}

export const backupCheckPid = (): Reply => frameReply({ status: 'invalid' });
export const createBackupPoll = (): Reply => frameReply([]);

export const dumpDatabase = (): Reply => frameReply({ result: 'GOOD', output: [], res: 0 });

/**
 * Simulates `uploader_action`: the site downloads a URL and writes the file to any requested path below its root. The
 * simulation downloads only PHP files. A failed download deletes the file of this name (recorded from a real site).
 */
export function uploaderAction({ state, fields, defects, downloads, now }: Call): Reply {
  const [url, path, filename] = ['url', 'path', 'filename'].map((name) => textField(fields, name));
  if (!url || !path) return frameReply([]);
  const download = downloads.get(url);
  const name = filename?.replace(/\.phpfile\.txt$/, '.php') ?? '';
  if (download && 'error' in download) {
    deleteFile({ state }, path, name);
    return frameReply({ error: download.error });
  }
  if (download) putPhpFile({ state, defects }, { path, name, text: download.heads.get('') ?? '' }, now * 1000);
  if (defects.failingPackages.has(url)) return frameReply({ error: 'Error 404: Not Found' });
  state.uploads.add(`${path}/${filename}`);
  return frameReply({ success: true });
}
