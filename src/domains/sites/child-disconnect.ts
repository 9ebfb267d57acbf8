import type { ChildLink, ConnectionCalls } from '../../connector/child-site.ts';
import { ChildRefusedError, isOutcomeUnknown } from '../../shared/child-call-errors.ts';

/**
 * Ends the connection of a child. If the response is lost, throws the error only if the child still accepts the key. A
 * released child can be registered again.
 */
export async function disconnectChild(child: ConnectionCalls, link: ChildLink): Promise<void> {
  try {
    await child.disconnect(link);
  } catch (error) {
    if (!isOutcomeUnknown(error) || (await child.verifyKey(link))) throw error;
  }
}

export const isAlreadyDisconnected = (error: unknown): boolean =>
  error instanceof ChildRefusedError && error.reason === 'not_connected';
