const CODES: Record<number, string> = {
  5: 'SQLITE_BUSY',
  6: 'SQLITE_LOCKED',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  26: 'SQLITE_NOTADB',
  787: 'SQLITE_CONSTRAINT_FOREIGNKEY',
  1555: 'SQLITE_CONSTRAINT_PRIMARYKEY',
  2067: 'SQLITE_CONSTRAINT_UNIQUE',
};

/**
 * Result codes by error message, for errors without a number: `all` of `@photostructure/sqlite` 1.2 sets no `errcode`.
 */
const CODES_BY_TEXT: Record<string, string> = {
  'database is locked': 'SQLITE_BUSY',
  'database table is locked': 'SQLITE_LOCKED',
  'attempt to write a readonly database': 'SQLITE_READONLY',
  'disk I/O error': 'SQLITE_IOERR',
  'database disk image is malformed': 'SQLITE_CORRUPT',
  'database or disk is full': 'SQLITE_FULL',
  'unable to open database file': 'SQLITE_CANTOPEN',
  'file is not a database': 'SQLITE_NOTADB',
};

/**
 * Sets `code` of a driver error to the name of the SQLite result code. The driver itself sets the same `code` for all
 * errors, and the number of the result code in `errcode`.
 */
export function withErrorCodes<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { errcode, message } = error as { errcode?: number; message: string };
    const code =
      errcode === undefined ? CODES_BY_TEXT[message] : (CODES[errcode] ?? CODES[errcode & 0xff] ?? 'SQLITE_ERROR');
    if (code !== undefined) Object.assign(error as Error, { code });
    throw error;
  }
}

export const isDamage = (error: unknown): boolean =>
  /^SQLITE_(CORRUPT|NOTADB)$/.test((error as { code?: string }).code ?? '');
