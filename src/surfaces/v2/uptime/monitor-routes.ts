import { decisiveAttempt, fleetMonitorSettings } from '../../../domains/uptime/index.ts';
import type { RequiredServices } from '../../../service/services.ts';
import { pageCount } from '../../../shared/paging.ts';
import type { BaseAddress } from '../base-address.ts';
import type { HandlersOf } from '../handlers.ts';
import { pageResponse } from '../paging.ts';
import {
  heartbeatFilterOf,
  fleetSettingsPatchOf,
  monitorFilterOf,
  monitorPageRequestOf,
  monitorOverridesOf,
} from './monitor-input.ts';
import {
  heartbeatView,
  evidenceView,
  fleetSettingsView,
  incidentView,
  monitorBriefView,
  monitorView,
  monitorSettingsView,
} from './monitor-view.ts';

export const monitorRoutes = (
  { uptime: { monitors }, settings: { settings } }: RequiredServices<'uptime' | 'settings'>,
  { base }: BaseAddress,
) =>
  ({
    monitors_list: async ({ caller, query }) => {
      const page = await monitors.listWithFigures(monitorFilterOf(caller.sites, query), monitorPageRequestOf(query));
      return pageResponse(page, monitorView, `${base}/monitors`, query);
    },
    monitors_list_basic: async ({ caller, query }) => {
      const page = await monitors.list(monitorFilterOf(caller.sites, query), monitorPageRequestOf(query));
      return pageResponse(page, monitorBriefView, `${base}/monitors/basic`, query);
    },
    monitors_count: async ({ caller, query }) =>
      countResponse(await monitors.count(monitorFilterOf(caller.sites, query))),
    monitors_get: async ({ site: { id } }) => {
      const [monitor, beats] = await Promise.all([monitors.getWithFigures(id), monitors.newestBeats(id)]);
      return {
        status: 200,
        body: { success: 1, data: { ...monitorView(monitor), heartbeats: beats.map(heartbeatView(id)) } },
      };
    },
    monitors_get_basic: async ({ site: { id } }) => {
      return { status: 200, body: { success: 1, data: monitorBriefView(await monitors.get(id)) } };
    },
    monitors_check: async ({ site }) => {
      const beat = await monitors.check(site);
      const { id, url } = site;
      const data = {
        id,
        url,
        http_code: decisiveAttempt(beat).status,
        uptime_status: beat.state,
        evidence: evidenceView(beat),
      };
      return { status: 200, body: { success: 1, message: 'The monitor was checked.', data } };
    },
    monitors_heartbeat: async ({ site: { id }, query }) => {
      const page = await monitors.beats(id, heartbeatFilterOf(query, monitors.now()), monitorPageRequestOf(query));
      const answer = pageResponse(page, heartbeatView(id), `${base}/monitors/${id}/heartbeat`, query);
      const { total, perPage } = page;
      const meta = { page: page.page, per_page: perPage, total, total_pages: pageCount(total, perPage) };
      return { ...answer, body: { ...answer.body, meta } };
    },
    monitors_incidents: async ({ site: { id }, query }) => {
      const page = await monitors.incidents(id, monitorPageRequestOf(query));
      return pageResponse(page, incidentView(monitors.now()), `${base}/monitors/${id}/incidents`, query);
    },
    monitors_incidents_count: async ({ site: { id } }) => {
      return countResponse(await monitors.countIncidents(id));
    },
    monitors_edit: async ({ site, body, caller }) => {
      const data = monitorSettingsView(await monitors.setOwn(site, monitorOverridesOf(body), caller.name));
      return { status: 200, body: { success: 1, message: 'The settings of the monitor were saved.', data } };
    },
    monitors_edit_settings: async ({ body, caller }) => {
      const data = fleetSettingsView(
        fleetMonitorSettings(await settings.edit('monitoring', fleetSettingsPatchOf(body), caller.name)),
      );
      return { status: 200, body: { success: 1, message: 'The settings of the monitors were saved.', data } };
    },
  }) satisfies Partial<HandlersOf<'uptime'>>;

const countResponse = (count: number) => ({ status: 200 as const, body: { success: 1 as const, count, total: count } });
