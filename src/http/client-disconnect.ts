import type { Response } from 'express';
import { RequestTimeoutError } from '../shared/errors.ts';

/**
 * Returns a signal that aborts with `svc_request_timeout` when the connection closes before the response is complete.
 * The response of an inner call has a connection only with `endsWithCaller`. Without one, the signal never aborts.
 */
export function disconnectSignal(response: Response): AbortSignal {
  const controller = new AbortController();
  const hangUp = (): void => {
    if (!response.writableFinished)
      controller.abort(new RequestTimeoutError('svc_request_timeout', 'The caller did not wait for the answer.'));
  };
  // A closed connection emits no second event.
  if (response.destroyed) hangUp();
  else if (typeof response.once === 'function') response.once('close', hangUp);
  return controller.signal;
}

export function ignoreDisconnect(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
}
