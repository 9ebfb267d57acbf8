import { StartupError } from '../shared/startup-error.ts';
import type { DatabaseTarget } from './database.ts';

export async function withStartupErrors<T>(target: DatabaseTarget, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toStartupError(target, error);
  }
}

export function toStartupError(target: DatabaseTarget, error: unknown): unknown {
  const code = codeOf(error);
  const sentence = target.dialect === 'sqlite' ? fileProblem(target.file, code) : serverProblem(target.url, code);
  return sentence === null ? error : new StartupError(sentence, { cause: error });
}

function codeOf(error: unknown): string {
  const { code, cause } = error as { code?: string; cause?: { code?: string } };
  return cause?.code ?? code ?? '';
}

function fileProblem(file: string, code: string): string | null {
  switch (code) {
    case 'SQLITE_NOTADB':
    case 'SQLITE_CORRUPT':
      return (
        `The database ${file} is damaged or is not a database. ` +
        'Restore a backup, or move the file away to start with an empty database.'
      );
    case 'SQLITE_READONLY':
    case 'SQLITE_CANTOPEN':
    case 'SQLITE_IOERR':
      return (
        `The database ${file} cannot be opened for writing (${code}). ` +
        'Give this user write access to the file and its directory.'
      );
    case 'SQLITE_FULL':
      return `The database ${file} cannot be written: the disk is full.`;
    case 'SQLITE_BUSY':
      return `The database ${file} is locked by another process.`;
    default:
      return null;
  }
}

const UNREACHABLE =
  /^(ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|PROTOCOL_CONNECTION_LOST|DATABASE_UNANSWERED)$/;

function serverProblem(url: string, code: string): string | null {
  const { hostname, port, username, pathname } = new URL(url);
  const server = `${hostname}:${port || 3306}`;
  if (UNREACHABLE.test(code)) return `The database server ${server} cannot be reached (${code}). Check DATABASE_URL.`;
  switch (code) {
    case 'ER_ACCESS_DENIED_ERROR':
    case 'ER_ACCESS_DENIED_NO_PASSWORD_ERROR':
    case 'ER_DBACCESS_DENIED_ERROR':
      return `The database server ${server} refuses the user ${decodeURIComponent(username)}. Check DATABASE_URL.`;
    case 'ER_BAD_DB_ERROR':
      return `The database server ${server} has no database ${decodeURIComponent(pathname.slice(1))}. Create it first.`;
    case 'ER_CON_COUNT_ERROR':
      return `The database server ${server} accepts no more connections.`;
    default:
      return null;
  }
}
