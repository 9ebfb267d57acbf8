import type { components } from '../../../../generated/v2.ts';
import type { Dispatch } from '../../../http/operation-types.ts';
import type { RequiredServices } from '../../../service/services.ts';
import type { HandlersOf } from '../handlers.ts';
import { BATCH_ACTIONS, batchActionsOf, type BatchResource } from './batch-actions.ts';
import { runBatch } from './run-batch.ts';

type Results = components['schemas']['BatchResults'];
type ItemsByAction = Partial<Record<string, readonly unknown[]>>;

/** Executes each item of a batch through its own route, as if it were a separate request. */
export const routes = ({ settings: { settings } }: RequiredServices<'settings'>): HandlersOf<'batch'> => {
  const limit = (): number => settings.current('advanced').svc_rest_batch_items_limit;

  const ofGroup = (group: BatchResource) => {
    const actions = Object.entries(batchActionsOf(group));
    return async ({ body = {}, dispatch }: { body?: ItemsByAction; dispatch: Dispatch }) => {
      const asked = actions.flatMap(([name, does]) => (body[name] ? [{ name, does, items: body[name] }] : []));
      const results = await runBatch(asked, limit(), dispatch);
      return { status: 200 as const, body: Object.fromEntries(asked.map(({ name }, at) => [name, results[at] ?? []])) };
    };
  };

  return {
    batch_run: async ({ body = {}, dispatch }) => {
      const groups = body as Partial<Record<string, ItemsByAction>>;
      const asked = BATCH_ACTIONS.flatMap(([group, name, does]) => {
        const items = groups[group]?.[name];
        return items ? [{ group, name, does, items }] : [];
      });
      const results = await runBatch(asked, limit(), dispatch);
      const answer: Record<string, Results> = {};
      asked.forEach(({ group, name }, at) => ((answer[group] ??= {})[name] = results[at] as Results[string]));
      return { status: 200, body: answer };
    },
    sites_batch: ofGroup('sites'),
    clients_batch: ofGroup('clients'),
    tags_batch: ofGroup('tags'),
    costs_batch: ofGroup('costs'),
  };
};
