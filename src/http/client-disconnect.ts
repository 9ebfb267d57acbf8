import type { Response } from 'express';
import { RequestTimeoutError } from '../shared/errors.ts';

/** Ends with the connection, unless the answer was sent by then. An item of a batch has no connection of its own. */
export function disconnectSignal(response: Response): AbortSignal {
  const controller = new AbortController();
  const hangUp = (): void => {
    if (!response.writableFinished)
      controller.abort(new RequestTimeoutError('svc_request_timeout', 'The caller did not wait for the answer.'));
  };
  if (typeof response.once === 'function') response.once('close', hangUp);
  return controller.signal;
}
