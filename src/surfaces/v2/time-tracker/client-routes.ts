import type { RequiredServices } from '../../../service/services.ts';
import type { HandlersOf } from '../handlers.ts';
import { dropEmptyFilters, listOrderOf } from '../query-helpers.ts';
import { pageResponse, pageRequestOf } from '../paging.ts';
import { recordEtagOf, revisionPrecondition } from './etags.ts';
import { clientSettingsPatchOf, taskFilterOf } from './input.ts';
import { clientDetailView, clientSettingsView, clientView, taskView } from './view.ts';

export function clientRoutes(
  { timeTracker: { tasks, clientTime }, clients: { clients } }: RequiredServices<'timeTracker' | 'clients'>,
  base: string,
) {
  return {
    time_tracker_clients_list: async ({ query, caller }) => {
      const filter = dropEmptyFilters({ search: query.search, hasRunning: query.has_running });
      const page = await clientTime.list(caller.sites, filter, pageRequestOf(query));
      return pageResponse(page, clientView, `${base}/clients`, query);
    },
    time_tracker_clients_get: async ({ path, caller }) => {
      const client = await clientTime.get(caller.sites, await clients.find(caller.sites, path.id_or_email));
      return { status: 200, body: { success: 1, data: clientDetailView(client) } };
    },
    time_tracker_clients_tasks: async ({ path, query, caller }) => {
      const { id: clientId } = await clients.find(caller.sites, path.id_or_email);
      const filter = { ...taskFilterOf(query), clientId };
      const page = await tasks.list(caller.sites, filter, listOrderOf(query), pageRequestOf(query));
      return pageResponse(page, taskView, `${base}/clients/${clientId}/tasks`, query);
    },
    time_tracker_clients_settings: async ({ path, caller }) => {
      const settings = await clientTime.settings(caller.sites, await clients.find(caller.sites, path.id_or_email));
      const data = clientSettingsView(settings);
      return { status: 200, etag: recordEtagOf(data, settings), body: { success: 1, data } };
    },
    time_tracker_clients_edit_settings: async ({ path, body, caller, ifMatch }) => {
      const client = await clients.find(caller.sites, path.id_or_email);
      const patch = clientSettingsPatchOf(body);
      const settings = await clientTime.editSettings(
        caller.sites,
        client,
        patch,
        caller.name,
        revisionPrecondition(ifMatch),
      );
      const data = clientSettingsView(settings);
      const message = 'The tracker settings of the client were saved.';
      return { status: 200, etag: recordEtagOf(data, settings), body: { success: 1, message, data } };
    },
  } satisfies Partial<HandlersOf<'time-tracker'>>;
}
