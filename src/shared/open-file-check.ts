import { closeSync, openSync } from 'node:fs';

/**
 * Number of files that are open at once while the service starts, including the connections to an embedded database.
 */
const NEEDED = 128;

/** Throws `EMFILE` if the process may open too few files. Otherwise the start could end between two migrations. */
export function checkOpenFileLimit(): void {
  const opened: number[] = [];
  try {
    while (opened.length < NEEDED) opened.push(openSync(process.execPath, 'r'));
  } finally {
    for (const file of opened) closeSync(file);
  }
}
