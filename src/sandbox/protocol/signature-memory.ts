import { createHash } from 'node:crypto';

const REPLAY_WINDOW_MS = 20_000;

export type SignatureMemory = Map<string, { firstAt: number; isBlocked: boolean }>;

/**
 * Records a signature and returns true if the site must refuse it. The site accepts a signature a second time within 20
 * seconds of the first, as is reported of MainWP Child 6.2. It refuses every later use.
 */
export function isRefusedReplay(memory: SignatureMemory, signature: string, now: number): boolean {
  const hash = createHash('sha256').update(signature).digest('base64');
  const known = memory.get(hash);
  if (known === undefined) {
    memory.set(hash, { firstAt: now, isBlocked: false });
    return false;
  }
  const isRefused = known.isBlocked || now - known.firstAt > REPLAY_WINDOW_MS;
  known.isBlocked = true;
  return isRefused;
}
