import type { ChildLink, ConnectionCalls } from '../../connector/child-site.ts';
import { ChildRefusedError, isOutcomeOpen } from '../../shared/errors.ts';

/**
 * Clears the key on a child, so that it can be registered anew. When the answer is lost, the child is asked whether it
 * still accepts the key.
 */
export async function releaseChild(child: ConnectionCalls, link: ChildLink): Promise<void> {
  try {
    await child.disconnect(link);
  } catch (error) {
    if (!isOutcomeOpen(error) || (await child.verifyKey(link))) throw error;
  }
}

/** The child has no key of anybody. */
export const isReleased = (error: unknown): boolean =>
  error instanceof ChildRefusedError && error.reason === 'not_connected';
