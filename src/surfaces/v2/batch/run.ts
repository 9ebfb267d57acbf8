import { refusalBody, refuseField } from '../../../http/errors.ts';
import type { Dispatch } from '../../../http/operation.ts';
import { unusableIn } from '../../../http/usable-values.ts';
import { CodedInvalidError, DomainError, TooLargeError } from '../../../shared/errors.ts';
import { routeErrors } from '../errors.ts';
import type { BatchAction } from './actions.ts';

/** The items of one action, in the order given. */
export interface BatchStep {
  does: BatchAction;
  items: readonly unknown[];
}

/** What the route of an item answered, or `{id, error}`. */
export type BatchResult = Record<string, unknown>;

/** Items of one action that are under way at a time; the connector paces what they ask of the sites. */
const WIDTH = 32;

/**
 * Runs the steps one after another, and answers what came of each item. Refuses too many items before anything runs.
 */
export async function runBatch(
  steps: readonly BatchStep[],
  limit: number,
  dispatch: Dispatch,
): Promise<BatchResult[][]> {
  const count = steps.reduce((sum, { items }) => sum + items.length, 0);
  if (count === 0) throw new CodedInvalidError('svc_rest_empty_batch', 'The batch holds no item.');
  if (count > limit)
    throw new TooLargeError('svc_request_too_large', `The batch has ${count} items; ${limit} are allowed.`, { limit });
  const results: BatchResult[][] = [];
  for (const { does, items } of steps)
    results.push(await mapped(items, does.callsSites ? WIDTH : 1, (item) => resultOf(does, item, dispatch)));
  return results;
}

async function resultOf({ callOf, idOf }: BatchAction, item: unknown, dispatch: Dispatch): Promise<BatchResult> {
  try {
    const { status, body } = await dispatch(callOf(usable(item)));
    return status < 400 ? (body as BatchResult) : { id: idOf(item), error: body };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { id: idOf(item), error: refusalBody(error) };
  }
}

/** Before a call is made of it: not every text fits into an address. */
function usable(item: unknown): unknown {
  const unusable = unusableIn(item, ['body']);
  if (unusable) refuseField(routeErrors, unusable.path, unusable.message);
  return item;
}

async function mapped<T, R>(items: readonly T[], width: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results = new Array<R>(items.length);
  const upcoming = items.entries();
  const one = async (): Promise<void> => {
    for (const [at, item] of upcoming) results[at] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, one));
  return results;
}
