import { readFileSync } from 'node:fs';
import { GUARD_FILE_FOLDER, guardFileName } from '../../connector/child-site.ts';
import { HOUR, SECOND } from '../../shared/clock.ts';
import type { GuardedItem } from './guard-file.ts';

/**
 * Lifetime of a guard file, by the clock of the site. After it, the file deletes itself at the end of the next page
 * that the site has built completely.
 */
const VALID_FOR = 2 * HOUR;

/** Names of folders that are safe in the PHP code of the file. Hidden folders, which begin with a dot, are refused. */
const FOLDER = /^[A-Za-z0-9_-][A-Za-z0-9._ -]{0,127}$/;

let template: string | undefined;

const readTemplate = (): string => (template ??= readFileSync(new URL('guard-file.php', import.meta.url), 'utf8'));

export const guardFilePath = (guardId: string): string => `${GUARD_FILE_FOLDER}/${guardFileName(guardId)}`;

/** True if the name is `<folder>/<file>.php`, and can be written into the file. */
const isGuardableMainFile = (mainFile: string, folder: string): boolean =>
  mainFile.startsWith(`${folder}/`) &&
  /^[A-Za-z0-9_-][A-Za-z0-9._ -]{0,123}\.php$/.test(mainFile.slice(folder.length + 1));

export const isGuardable = ({ folder, activatedFile }: Pick<GuardedItem, 'folder' | 'activatedFile'>): boolean =>
  FOLDER.test(folder) && (activatedFile === undefined || isGuardableMainFile(activatedFile, folder));

export interface GuardFileValues extends Pick<GuardedItem, 'kind' | 'folder' | 'activatedFile'> {
  guardId: string;
  /** Raw Ed25519 key as 64 hexadecimal digits. */
  publicKey: string;
}

export function guardFileSource({ guardId, kind, folder, activatedFile, publicKey }: GuardFileValues): string {
  const item = { folder, ...(activatedFile !== undefined && { activatedFile }) };
  const isSafe = /^[0-9a-f]{32}$/.test(guardId) && /^[0-9a-f]{64}$/.test(publicKey) && isGuardable(item);
  if (!isSafe) throw new Error('A value of the guard file is not valid.');
  const values: Record<string, string> = {
    ID: guardId,
    KIND: kind,
    FOLDER: folder,
    ACTIVATED: activatedFile ?? '',
    PUBLIC_KEY: publicKey,
    SECONDS: String(VALID_FOR / SECOND),
  };
  return readTemplate().replace(/@([A-Z_]+)@/g, (placeholder, name: string) => values[name] ?? placeholder);
}
