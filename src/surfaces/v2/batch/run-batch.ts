import { errorBody, throwFieldError } from '../../../http/errors.ts';
import type { Dispatch } from '../../../http/operation-types.ts';
import { findUnstorableValue } from '../../../http/storable-values.ts';
import { CodedInvalidError, DomainError, TooLargeError } from '../../../shared/errors.ts';
import { v2ErrorDialect } from '../errors.ts';
import type { BatchAction } from './batch-actions.ts';

export interface ActionWithItems {
  does: BatchAction;
  items: readonly unknown[];
}

export type BatchItemResult = Record<string, unknown>;

/** The connector additionally limits the calls to sites. */
const MAX_PARALLEL_ITEMS = 32;

/**
 * Runs the steps one after another and returns one result per item. Throws `svc_rest_empty_batch` without items and
 * `svc_request_too_large` over `limit`, both before anything runs.
 */
export async function runBatch(
  steps: readonly ActionWithItems[],
  limit: number,
  dispatch: Dispatch,
): Promise<BatchItemResult[][]> {
  const count = steps.reduce((sum, { items }) => sum + items.length, 0);
  if (count === 0) throw new CodedInvalidError('svc_rest_empty_batch', 'The batch contains no items.');
  if (count > limit)
    throw new TooLargeError('svc_request_too_large', `The batch has ${count} items. At most ${limit} are allowed.`, {
      limit,
    });
  const results: BatchItemResult[][] = [];
  for (const { does, items } of steps)
    results.push(
      await mapConcurrently(items, does.callsSites ? MAX_PARALLEL_ITEMS : 1, (item) => runItem(does, item, dispatch)),
    );
  return results;
}

async function runItem({ callOf, idOf }: BatchAction, item: unknown, dispatch: Dispatch): Promise<BatchItemResult> {
  try {
    const { status, body } = await dispatch(callOf(requireStorable(item)));
    return status < 400 ? (body as BatchItemResult) : { id: idOf(item), error: body };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { id: idOf(item), error: errorBody(error) };
  }
}

/** Throws `InvalidError` for a value that cannot be stored. Some of them could not be encoded in a URL either. */
function requireStorable(item: unknown): unknown {
  const unusable = findUnstorableValue(item, ['body']);
  if (unusable) throwFieldError(v2ErrorDialect, unusable.path, unusable.message);
  return item;
}

async function mapConcurrently<T, R>(items: readonly T[], width: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results = new Array<R>(items.length);
  const upcoming = items.entries();
  const one = async (): Promise<void> => {
    for (const [at, item] of upcoming) results[at] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, one));
  return results;
}
