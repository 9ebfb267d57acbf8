import type { ChildLink, ConnectionCalls } from '../../connector/child-site.ts';
import { ChildRefusedError, isOutcomeUnknown } from '../../shared/errors.ts';

/**
 * Clears the key on a child, so it can be registered again. If the response is lost, checks whether the child still
 * accepts the key.
 */
export async function releaseChild(child: ConnectionCalls, link: ChildLink): Promise<void> {
  try {
    await child.disconnect(link);
  } catch (error) {
    if (!isOutcomeUnknown(error) || (await child.verifyKey(link))) throw error;
  }
}

/** True if the child has no key of any dashboard. */
export const isReleased = (error: unknown): boolean =>
  error instanceof ChildRefusedError && error.reason === 'not_connected';
