import type { RequiredServices } from '../../../service/services.ts';
import type { HandlersOf } from '../handlers.ts';
import { dropEmptyFilters } from '../query-helpers.ts';
import { pageResponse, pageRequestOf } from '../paging.ts';
import { recordEtagOf, revisionPrecondition } from './etags.ts';
import { clientSettingsPatchOf, taskFilterOf, taskOrderOf } from './input.ts';
import { clientDetailView, clientSettingsView, clientView, taskView } from './view.ts';

export function clientRoutes(
  { timeTracker: { tasks, clientTime }, clients: { clients } }: RequiredServices<'timeTracker' | 'clients'>,
  base: string,
) {
  return {
    time_tracker_clients_list: async ({ query }) => {
      const filter = dropEmptyFilters({ search: query.search, hasRunning: query.has_running });
      const page = await clientTime.list(filter, pageRequestOf(query));
      return pageResponse(page, clientView, `${base}/clients`, query);
    },
    time_tracker_clients_get: async ({ path }) => {
      const client = await clientTime.get(await clients.find(path.id_or_email));
      return { status: 200, body: { success: 1, data: clientDetailView(client) } };
    },
    time_tracker_clients_tasks: async ({ path, query }) => {
      const { id: clientId } = await clients.find(path.id_or_email);
      const filter = { ...taskFilterOf(query), clientId };
      const page = await tasks.list(filter, taskOrderOf(query), pageRequestOf(query));
      return pageResponse(page, taskView, `${base}/clients/${clientId}/tasks`, query);
    },
    time_tracker_clients_settings: async ({ path }) => {
      const settings = await clientTime.settings(await clients.find(path.id_or_email));
      const data = clientSettingsView(settings);
      return { status: 200, etag: recordEtagOf(data, settings), body: { success: 1, data } };
    },
    time_tracker_clients_edit_settings: async ({ path, body, caller, ifMatch }) => {
      const client = await clients.find(path.id_or_email);
      const patch = clientSettingsPatchOf(body);
      const settings = await clientTime.editSettings(client, patch, caller.name, revisionPrecondition(ifMatch));
      const data = clientSettingsView(settings);
      const message = 'The tracker settings of the client were saved.';
      return { status: 200, etag: recordEtagOf(data, settings), body: { success: 1, message, data } };
    },
  } satisfies Partial<HandlersOf<'time-tracker'>>;
}
