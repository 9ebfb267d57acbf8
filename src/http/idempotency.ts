import { createHash } from 'node:crypto';
import type { Request } from 'express';
import { isLimited } from '../shared/site-scope.ts';
import type { Caller } from '../shared/caller.ts';
import { isOutcomeUnknown } from '../shared/child-call-errors.ts';
import { ConflictError, DatabaseUnavailableError } from '../shared/errors.ts';
import type { IdempotencyStore } from '../shared/idempotency-store.ts';
import type { HandlerResponse } from './operation-types.ts';

export interface IdempotencyPolicy {
  /** True if the response contains a secret. Such a response is never stored. */
  hasSecretResponse: boolean;
  isRepeatable: boolean;
}

const NOT_STORED: ReadonlySet<number> = new Set([403, 413, 503]);
const REPLAYED = { 'Idempotency-Replayed': 'true' };

/**
 * Runs a request once per `Idempotency-Key` and credential. A retry gets the stored response, also an error other than
 * 403, 413 and 503. Throws `svc_idempotency_conflict` if the request differs, if a limited caller has other sites than
 * at the first call (`scopeKey`), or if the response contained a secret. Throws `svc_idempotency_in_progress` if the
 * first call is running or was interrupted.
 */
export async function runIdempotent(
  store: IdempotencyStore,
  request: Request,
  caller: Caller,
  { hasSecretResponse: secret, isRepeatable: harmless }: IdempotencyPolicy,
  run: () => Promise<HandlerResponse>,
  scopeKey: () => Promise<string>,
  refusalOf: (error: unknown) => HandlerResponse,
): Promise<HandlerResponse> {
  const key = request.get('idempotency-key');
  if (key === undefined || request.method === 'GET') return run();
  const claim = await store.claim({
    owner: caller.credential,
    key,
    fingerprint: requestFingerprintOf(request, isLimited(caller.sites) ? await scopeKey() : null),
    isRepeatable: harmless,
  });
  switch (claim.kind) {
    case 'answered':
      return { ...claim.answer, headers: { ...claim.answer.headers, ...REPLAYED } };
    case 'secret':
      throw conflict(
        'The first call with this key has succeeded. Its response contained a secret, which is returned only once.',
      );
    case 'other':
      throw conflict('This idempotency key was already used for another request.');
    case 'running':
      throw new ConflictError('svc_idempotency_in_progress', 'The first call with this key is still running.');
    case 'interrupted':
      throw new ConflictError(
        'svc_idempotency_in_progress',
        'The first call with this key was interrupted. Check its effect, and use a new key to repeat it.',
        { interrupted: true },
      );
    case 'mine':
  }
  let answer: HandlerResponse;
  try {
    answer = await run();
  } catch (error) {
    await storeError(store, claim.id, error, refusalOf(error));
    throw error;
  }
  await store.settle(claim.id, secret ? null : answer);
  return answer;
}

/**
 * Stores an error as the response, unless its status is 403, 413 or 503. A 503 asks the caller to send the request
 * again. A handler responds with 403 or 413 before it has any effect, and after a change of rights or settings the same
 * request may succeed.
 */
async function storeError(
  store: IdempotencyStore,
  id: string,
  error: unknown,
  response: HandlerResponse,
): Promise<void> {
  if (!NOT_STORED.has(response.status)) return store.settle(id, response);
  const mayHaveRun = error instanceof DatabaseUnavailableError || isOutcomeUnknown(error);
  return store.abandon(id, { mayHaveRun });
}

const conflict = (message: string): ConflictError => new ConflictError('svc_idempotency_conflict', message);

function requestFingerprintOf(request: Request, scopeKey: string | null): string {
  const parts = [request.method, request.url, request.get('if-match') ?? '', JSON.stringify(request.body ?? null)];
  if (scopeKey !== null) parts.push(scopeKey);
  return createHash('sha256').update(parts.join('\n')).digest('hex');
}
