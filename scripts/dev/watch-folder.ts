import { execFile } from 'node:child_process';
import { watch } from 'node:fs';
import { promisify } from 'node:util';

/** Editors write a file in several steps, which take less than this. */
const DEBOUNCE_MS = 150;

export interface FolderWatch {
  close(): void;
}

export async function generateAgain(): Promise<void> {
  await promisify(execFile)(process.execPath, ['--import=tsx', 'scripts/build/generate.ts']);
}

/** Runs the work after each change in a folder. A change during the work runs it once more after its end. */
export function watchFolder(folder: string, work: () => Promise<void>): FolderWatch {
  let settling: NodeJS.Timeout | undefined;
  let busy = false;
  let again = false;
  const run = async (): Promise<void> => {
    if (busy) {
      again = true;
      return;
    }
    busy = true;
    await work().catch((error: unknown) => {
      const { stderr, message } = error as Error & { stderr?: string };
      console.error(stderr || message);
    });
    busy = false;
    if (again) {
      again = false;
      await run();
    }
  };
  const watcher = watch(folder, { recursive: true }, () => {
    clearTimeout(settling);
    settling = setTimeout(() => void run(), DEBOUNCE_MS);
  });
  return {
    close() {
      clearTimeout(settling);
      watcher.close();
    },
  };
}
