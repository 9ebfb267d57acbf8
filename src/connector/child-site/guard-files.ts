import type { ChildLink } from './target.ts';

export interface FileUpload {
  url: string;
  /** Secret part of the address, which must not be shown if the site repeats it. */
  secret: string;
  /** Folder below the root of WordPress. */
  folder: string;
  /**
   * Must end with `.phpfile.txt`. The child renames the file to `.php` after the download, so that PHP never loads half
   * of a file.
   */
  name: string;
}

export type GuardFileAction = 'arm' | 'state' | 'restore' | 'remove';

/**
 * Request to a guard file: a must-use plugin that undoes the update or activation of a plugin or theme if it breaks the
 * site: it puts a copy of the old version back, or deactivates the plugin.
 * The file has a key of its own, because it answers before the child plugin is loaded.
 */
export interface GuardFileRequest {
  guardId: string;
  action: GuardFileAction;
  /** Higher than that of each earlier request to the file. */
  sequence: number;
  /** PKCS#8 PEM of the Ed25519 key of the file. Never logged. */
  privateKeyPem: string;
}

/**
 * Why and when a guard file has undone the change. `file` and `message` come from the site, so they can contain
 * anything.
 */
export interface GuardFileRestored {
  cause: 'asked' | 'fatal';
  /** Unix time of the site in seconds. */
  at: number;
  file: string | null;
  line: number | null;
  message: string | null;
}

export interface GuardFileAnswer {
  ok: boolean;
  /** True if the file can undo the change, and has not done so yet. */
  armed: boolean;
  /** True if the folder that is guarded exists. */
  live: boolean;
  restored: GuardFileRestored | null;
  /** Unix time of the site in seconds. Null for files of earlier releases. */
  now: number | null;
  error: string | null;
}

export interface GuardFileCalls {
  /**
   * Makes the site download a file. Success proves nothing: the child may have stored the file in another folder than
   * WordPress uses. If the download fails, the child deletes the file of this name, and the call throws.
   */
  uploadFile(link: ChildLink, upload: FileUpload): Promise<void>;
  askGuardFile(link: ChildLink, request: GuardFileRequest): Promise<GuardFileAnswer>;
}
