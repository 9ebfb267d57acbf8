import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';

const SHARED_MEMORY = '/dev/shm';

/**
 * Returns a folder for temporary files. It is in memory if there is enough space, because creating and dropping tables
 * is six times as fast there.
 */
export async function createMemoryFolder(): Promise<string> {
  const room = await statfs(SHARED_MEMORY).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
  return room > 2 * 2 ** 30 ? SHARED_MEMORY : tmpdir();
}
