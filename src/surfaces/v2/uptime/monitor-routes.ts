import { decisiveAttempt, fleetSettings } from '../../../domains/uptime/index.ts';
import type { RequiredServices } from '../../../service/services.ts';
import { pageCount } from '../../../shared/paging.ts';
import type { Door } from '../door.ts';
import type { HandlersOf } from '../handlers.ts';
import { paged } from '../paging.ts';
import { beatFilterOf, groupPatchOf, monitorFilterOf, monitorsPage, ownSettingsOf } from './monitor-input.ts';
import {
  beatView,
  evidenceView,
  fleetView,
  incidentView,
  monitorBriefView,
  monitorView,
  settingsView,
} from './monitor-view.ts';

/** Routes for monitors. Each site has one. */
export const monitorRoutes = (
  { uptime: { monitors }, settings: { settings } }: RequiredServices<'uptime' | 'settings'>,
  { base }: Door,
) =>
  ({
    monitors_list: async ({ query }) => {
      const page = await monitors.listWithFigures(monitorFilterOf(query), monitorsPage(query));
      return paged(page, monitorView, `${base}/monitors`, query);
    },
    monitors_list_basic: async ({ query }) => {
      const page = await monitors.list(monitorFilterOf(query), monitorsPage(query));
      return paged(page, monitorBriefView, `${base}/monitors/basic`, query);
    },
    monitors_count: async ({ query }) => counted(await monitors.count(monitorFilterOf(query))),
    monitors_get: async ({ site: { id } }) => {
      const [monitor, beats] = await Promise.all([monitors.getWithFigures(id), monitors.newestBeats(id)]);
      return {
        status: 200,
        body: { success: 1, data: { ...monitorView(monitor), heartbeats: beats.map(beatView(id)) } },
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
      const page = await monitors.beats(id, beatFilterOf(query, monitors.now()), monitorsPage(query));
      const answer = paged(page, beatView(id), `${base}/monitors/${id}/heartbeat`, query);
      const { total, perPage } = page;
      const meta = { page: page.page, per_page: perPage, total, total_pages: pageCount(total, perPage) };
      return { ...answer, body: { ...answer.body, meta } };
    },
    monitors_incidents: async ({ site: { id }, query }) => {
      const page = await monitors.incidents(id, monitorsPage(query));
      return paged(page, incidentView(monitors.now()), `${base}/monitors/${id}/incidents`, query);
    },
    monitors_incidents_count: async ({ site: { id } }) => {
      return counted(await monitors.countIncidents(id));
    },
    monitors_edit: async ({ site, body, caller }) => {
      const data = settingsView(await monitors.setOwn(site, ownSettingsOf(body), caller.name));
      return { status: 200, body: { success: 1, message: 'The settings of the monitor were saved.', data } };
    },
    monitors_edit_settings: async ({ body, caller }) => {
      const data = fleetView(fleetSettings(await settings.edit('monitoring', groupPatchOf(body), caller.name)));
      return { status: 200, body: { success: 1, message: 'The settings of the monitors were saved.', data } };
    },
  }) satisfies Partial<HandlersOf<'uptime'>>;

const counted = (count: number) => ({ status: 200 as const, body: { success: 1 as const, count, total: count } });
