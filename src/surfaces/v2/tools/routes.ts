import type { StartedRun } from '../../../domains/jobs/index.ts';
import type { RequiredServices } from '../../../service/services.ts';
import type { BaseAddress } from '../base-address.ts';
import type { HandlersOf } from '../handlers.ts';
import { pageResponse, pageRequestOf } from '../paging.ts';
import { messageView, toolStatusView } from './view.ts';

export const routes = (
  { tools: { runs, messages }, modules: { modules } }: RequiredServices<'tools' | 'modules'>,
  { base }: BaseAddress,
): HandlersOf<'tools'> => {
  const answer = (tool: string, message: string, { jobId }: StartedRun) => ({
    success: 1 as const,
    message,
    status_url: `${base}/settings/tools/${tool}-status/${jobId}`,
  });
  return {
    tools_destroy_sessions: async ({ caller }) => {
      const run = await runs.destroySessions(caller.name);
      const message = `The sessions on ${run.sites} sites are being ended.`;
      return { status: 200, body: { ...answer('destroy-sessions', message, run), destroy_id: run.jobId } };
    },
    tools_renew_connections: async ({ caller }) => {
      const run = await runs.renewConnections(caller.name);
      const message = `The connections to ${run.sites} sites are being renewed.`;
      return { status: 200, body: { ...answer('renew-connections', message, run), renew_id: run.jobId } };
    },
    tools_disconnect_all_sites: async ({ caller }) => {
      const run = await runs.disconnectAllSites(caller.name);
      const message = `${run.sites} sites are being disconnected.`;
      return { status: 200, body: { ...answer('disconnect-all-sites', message, run), disconnect_id: run.jobId } };
    },
    tools_destroy_sessions_status: async ({ caller, path }) => ({
      status: 200,
      body: toolStatusView(await runs.status(caller.sites, 'destroySessions', path.destroy_id)),
    }),
    tools_renew_connections_status: async ({ caller, path }) => ({
      status: 200,
      body: toolStatusView(await runs.status(caller.sites, 'renewConnections', path.renew_id)),
    }),
    tools_disconnect_all_sites_status: async ({ caller, path }) => ({
      status: 200,
      body: toolStatusView(await runs.status(caller.sites, 'disconnectAllSites', path.disconnect_id)),
    }),
    tools_clear_activation_data: async ({ caller }) => {
      const data = { switched_on: await modules.reset(caller.name) };
      const message = `The activation data were cleared; ${data.switched_on.length} modules were switched on again.`;
      return { status: 200, body: { success: 1, message, data } };
    },
    tools_restore_info_messages: async ({ caller }) => {
      const restored = await messages.restore(caller.userId);
      return {
        status: 200,
        body: { success: 1, message: `${restored} messages are shown again.`, data: { restored } },
      };
    },
    tools_dismissed_messages: async ({ caller, query }) => {
      const page = await messages.dismissed(caller.userId, pageRequestOf(query));
      return pageResponse(page, messageView, `${base}/settings/tools/info-messages/dismissed`, query);
    },
    tools_dismiss_message: async ({ body, caller }) => {
      const data = messageView(await messages.dismiss(caller.userId, body.message_id));
      return { status: 200, body: { success: 1, message: 'The message was dismissed.', data } };
    },
  };
};
