import type { GuardFileRestored } from '../../connector/child-site.ts';
import { UpdateFailedError } from '../../shared/errors.ts';

/** Plugin or theme whose update or activation is guarded. `folder` is below the folder of plugins or themes. */
export interface GuardedItem {
  kind: 'plugin' | 'theme';
  folder: string;
  name: string;
  /** Main file of a plugin whose activation is guarded. Missing for an update. */
  activatedFile?: string;
}

/**
 * `laying`: the upload may have been sent. `laid`: the file has answered. `armed`: the copy of the installed version is
 * complete, or the file can deactivate the plugin. `restored`: the copy has replaced the new version, or the plugin was
 * deactivated. `removing`: the file is no longer needed. `found`: a
 * site reports a file that is not known.
 */
export type GuardFileState = 'laying' | 'laid' | 'armed' | 'restored' | 'removing' | 'found';

export interface StoredGuardFile extends GuardedItem {
  id: number;
  guardId: string;
  siteId: number;
  itemId: number | null;
  actor: string;
  state: GuardFileState;
  /** Encrypted by `Sealing`. Null if the file was found on a site, so that its key is not known. */
  privateKey: string | null;
  restored: GuardFileRestored | null;
  attempts: number;
  leftSince: number | null;
}

export const GUARD_REFUSALS = [
  'not_allowed',
  'no_https',
  'no_folder',
  'not_proven',
  'folder_mode',
  'not_writable',
  'not_copied',
  'not_armed',
] as const;
export type GuardRefusal = (typeof GUARD_REFUSALS)[number];

const MESSAGES: Record<GuardRefusal, string> = {
  not_allowed: 'The settings allow no guard file on this site.',
  no_https: 'A guard file needs https, for the site and for the public URL of this service.',
  no_folder: 'A guard file needs a plugin or theme in a folder of its own, with an ordinary name.',
  not_proven: 'The guard file did not answer after the site had downloaded it.',
  folder_mode: 'The folder mu-plugins of the site is writable for everybody, and this could not be changed.',
  not_writable: 'PHP cannot write into the folder of plugins or themes of the site.',
  not_copied: 'The guard file could not copy the installed version.',
  not_armed: 'The guard file could not store its state on the site.',
};

export const guardUnavailable = (reason: GuardRefusal): UpdateFailedError =>
  new UpdateFailedError('svc_update_failed', MESSAGES[reason], { reason });
