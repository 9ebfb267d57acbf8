import type { DomainProfile } from '../../../domains/domain-monitor/index.ts';
import type { RequiredServices } from '../../../service/services.ts';
import type { BaseAddress } from '../base-address.ts';
import type { HandlersOf } from '../handlers.ts';
import { pageHeaders, pagingFields, pageRequestOf } from '../paging.ts';
import { listOrderOf } from '../query-helpers.ts';
import { manualPatchOf, profileFilterOf } from './input.ts';
import { CHECK_MESSAGES, profileView } from './view.ts';

export { fieldNames } from './input.ts';

export const routes = (
  { domainMonitor: { domains } }: RequiredServices<'domainMonitor'>,
  { base }: BaseAddress,
): HandlersOf<'domain-monitor'> => ({
  domain_monitor_profiles_list: async ({ caller, query }) => {
    const page = await domains.list(profileFilterOf(caller.sites, query), listOrderOf(query), pageRequestOf(query));
    const data = Object.fromEntries(page.items.map((profile) => [profile.stored.site.url, [profileView(profile)]]));
    const headers = pageHeaders(page, `${base}/domain-monitor/profiles`, query);
    return { status: 200, body: { success: 1, data, ...pagingFields(page) }, headers };
  },
  domain_monitor_profiles_get: async ({ site }) => ({
    status: 200,
    body: { success: 1, data: profileView(await domains.get(site.id)) },
  }),
  domain_monitor_profiles_edit: async ({ site, body, caller }) => {
    const days = body.notify_threshold_days ?? null;
    const data = profileView(await domains.setThreshold(site, days, caller.name));
    return { status: 200, body: { success: 1, message: 'The domain monitor of the site was saved.', data } };
  },
  domain_monitor_check: async ({ site, query, caller }) => {
    const { kind, profile } = await domains.check(site, { force: query.force }, caller.name);
    return { status: 200, body: { success: 1, message: CHECK_MESSAGES[kind], data: profileView(profile) } };
  },
  domain_monitor_manual_edit: async ({ site, body, caller }) =>
    savedEntry(await domains.editManualEntry(site, manualPatchOf(body), caller.name)),
  domain_monitor_manual_remove: async ({ site, caller }) =>
    removedEntry(await domains.removeManualEntry(site, caller.name)),
  domain_monitor_manual: async ({ site, body, caller }) =>
    savedEntry(await domains.editManualEntry(site, manualPatchOf(body), caller.name)),
  domain_monitor_manual_delete: async ({ site, caller }) =>
    removedEntry(await domains.removeManualEntry(site, caller.name)),
});

const savedEntry = (profile: DomainProfile) => entryResponse('The entry was saved.', profile);
const removedEntry = (profile: DomainProfile) => entryResponse('The entry was removed.', profile);
const entryResponse = (message: string, profile: DomainProfile) => ({
  status: 200 as const,
  body: { success: 1 as const, message, data: profileView(profile) },
});
