import type { SslRecord } from '../../../domains/ssl-monitor/index.ts';
import type { RequiredServices } from '../../../service/services.ts';
import type { BaseAddress } from '../base-address.ts';
import type { HandlersOf } from '../handlers.ts';
import { pageResponse, pageRequestOf } from '../paging.ts';
import { listOrderOf } from '../query-helpers.ts';
import { sslFilterOf } from './input.ts';
import { seenCertificateView, sslStatusView } from './view.ts';

export const routes = (
  { sslMonitor: { sslMonitor } }: RequiredServices<'sslMonitor'>,
  { base }: BaseAddress,
): HandlersOf<'ssl-monitor'> => {
  const createView = () => {
    const nextCheckAt = sslMonitor.nextChecks();
    return (record: SslRecord) => sslStatusView(record, nextCheckAt(record.site.status));
  };
  return {
    ssl_monitor_info_list: async ({ caller, query }) => {
      const page = await sslMonitor.list(sslFilterOf(caller.sites, query), listOrderOf(query), pageRequestOf(query));
      const { body, ...answer } = pageResponse(page, createView(), `${base}/ssl-monitor/info`, query);
      return { ...answer, body: { ...body, data: Object.fromEntries(body.data.map((each) => [each.url, [each]])) } };
    },
    ssl_monitor_info_get: async ({ site }) => ({
      status: 200,
      body: { success: 1, data: createView()(await sslMonitor.get(site.id)) },
    }),
    ssl_monitor_certificates_list: async ({ site, query }) => {
      const { monitor } = await sslMonitor.get(site.id);
      const page = await sslMonitor.certificates(site.id, pageRequestOf(query));
      const address = `${base}/ssl-monitor/info/${site.id}/certificates`;
      return pageResponse(page, seenCertificateView(monitor.fingerprint), address, query);
    },
    ssl_monitor_edit: async ({ site, body, caller }) => {
      const { notify_threshold_days: days } = body;
      const record = await sslMonitor.setThreshold(site.id, days ?? null, caller.name);
      return {
        status: 200,
        body: { success: 1, message: 'The SSL monitor of the site was saved.', data: createView()(record) },
      };
    },
    ssl_monitor_check: async ({ site }) => {
      await sslMonitor.check(site.id);
      const data = createView()(await sslMonitor.get(site.id));
      return { status: 200, body: { success: 1, message: 'The certificate was checked.', data } };
    },
  };
};
