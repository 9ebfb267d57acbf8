import { withDecimals, type Settings } from '../../../domains/settings/index.ts';
import type { TaskRecord } from '../../../domains/time-tracker/index.ts';
import { etagOf, precondition } from '../../../http/etags.ts';
import type { RequiredServices } from '../../../service/services.ts';
import type { BaseAddress } from '../base-address.ts';
import type { HandlersOf } from '../handlers.ts';
import { pageResponse, pageRequestOf } from '../paging.ts';
import { listOrderOf } from '../query-helpers.ts';
import { bucketRoutes } from './bucket-routes.ts';
import { clientRoutes } from './client-routes.ts';
import { tasksCsv } from './tasks-csv.ts';
import { recordEtagOf, revisionPrecondition } from './etags.ts';
import { newTaskOf, toOperator, taskFilterOf, taskPatchOf } from './input.ts';
import { taskDetailView, taskView } from './view.ts';

export { fieldNames } from './input.ts';

type TimeTrackerRouteDeps = RequiredServices<'timeTracker' | 'clients' | 'settings'>;

export const routes = (
  { timeTracker, clients, settings: { settings } }: TimeTrackerRouteDeps,
  context: BaseAddress,
): HandlersOf<'time-tracker'> => {
  const { tasks, timers } = timeTracker;
  const base = `${context.base}/time-tracker`;
  const written = (message: string, task: TaskRecord) => {
    const data = taskView(task);
    return { status: 200 as const, etag: recordEtagOf(data, task), body: { success: 1 as const, message, data } };
  };

  return {
    ...bucketRoutes({ timeTracker, clients }, base),
    ...clientRoutes({ timeTracker, clients }, base),
    time_tracker_list: async ({ query, caller }) => {
      const page = await tasks.list(caller.sites, taskFilterOf(query), listOrderOf(query), pageRequestOf(query));
      return pageResponse(page, taskView, base, query);
    },
    time_tracker_sites_tasks: async ({ site, query, caller }) => {
      const filter = { ...taskFilterOf(query), siteId: site.id };
      const page = await tasks.list(caller.sites, filter, listOrderOf(query), pageRequestOf(query));
      return pageResponse(page, taskView, `${base}/sites/${site.id}/tasks`, query);
    },
    time_tracker_tasks_export: async ({ query, caller }) => ({
      status: 200,
      headers: { 'Content-Disposition': 'attachment; filename="tasks.csv"' },
      ...tasksCsv(tasks.pages(caller.sites, taskFilterOf(query))),
    }),
    time_tracker_tasks_get: async ({ path, caller }) => {
      const task = await tasks.get(caller.sites, path.task_id);
      const data = taskDetailView(task);
      return { status: 200, etag: recordEtagOf(data, task), body: { success: 1, data } };
    },
    time_tracker_tasks_add: async ({ body, caller }) =>
      written('The task was added.', await tasks.create(caller.sites, newTaskOf(body), toOperator(caller))),
    time_tracker_tasks_edit: async ({ path, body, caller, ifMatch }) => {
      const seen = revisionPrecondition(ifMatch);
      const task = await tasks.update(caller.sites, path.task_id, taskPatchOf(body), toOperator(caller), seen);
      return written('The task was saved.', task);
    },
    time_tracker_tasks_delete: async ({ path, caller, ifMatch }) =>
      written(
        'The task was deleted.',
        await tasks.delete(caller.sites, path.task_id, toOperator(caller), revisionPrecondition(ifMatch)),
      ),
    time_tracker_tasks_start: async ({ path, query, caller }) => {
      const task = await timers.start(caller.sites, path.task_id, toOperator(caller), {
        switching: query.switch === 1,
      });
      return written('The timer was started.', task);
    },
    time_tracker_tasks_pause: async ({ path, caller }) =>
      written('The timer was paused.', await timers.pause(caller.sites, path.task_id, toOperator(caller))),
    time_tracker_tasks_stop: async ({ path, caller }) =>
      written('The timer was stopped.', await timers.stop(caller.sites, path.task_id, toOperator(caller))),
    time_tracker_settings_get: async () => {
      const data = withDecimals(await settings.read('time-tracker'));
      return { status: 200, etag: etagOf(data), body: { success: 1, data } };
    },
    time_tracker_settings_edit: async ({ body, caller, ifMatch }) => {
      const seen = precondition<Settings<'time-tracker'>>(ifMatch, withDecimals);
      const data = withDecimals(await settings.edit('time-tracker', body, caller.name, seen));
      const message = 'The time tracker settings were saved.';
      return { status: 200, etag: etagOf(data), body: { success: 1, message, data } };
    },
  };
};
