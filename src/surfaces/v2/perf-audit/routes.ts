import type { RequiredServices } from '../../../service/services.ts';
import type { BaseAddress } from '../base-address.ts';
import type { HandlersOf } from '../handlers.ts';
import { pageHeaders, pagingFields, pageRequestOf } from '../paging.ts';
import { auditQueryOf, auditViewOptionsOf, auditRequestOf, dateRangeOf } from './input.ts';
import { auditView, queuedAuditView, requestedAuditsView } from './view.ts';
import { mapInTurns } from '../../../shared/event-loop.ts';
import { requesterOf } from '../../../shared/requester.ts';

export const routes = (
  { perfAudit: { audits } }: RequiredServices<'perfAudit'>,
  { base }: BaseAddress,
): HandlersOf<'perf-audit'> => ({
  perf_audit_list: async ({ query, caller }) => {
    const page = await audits.list(auditQueryOf(caller.sites, query), auditViewOptionsOf(query), pageRequestOf(query));
    const view = auditView(query.with_opportunities, audits.threshold);
    const data = Object.fromEntries(await mapInTurns(page.items, (record) => [record.site.id, view(record)] as const));
    const headers = pageHeaders(page, `${base}/perf-audit/results`, query);
    return { status: 200, body: { success: 1, data, ...pagingFields(page) }, headers };
  },
  perf_audit_get: async ({ site, query }) => {
    const record = await audits.get(site.id, query.history === 1 ? dateRangeOf(query) : undefined);
    return { status: 200, body: { success: 1, data: auditView(query.with_opportunities, audits.threshold)(record) } };
  },
  perf_audit_run_all: async ({ body, caller }) => {
    const { errors, ...requested } = await audits.requestMany(
      caller.sites,
      body?.websites ?? [],
      auditRequestOf(body, requesterOf(caller)),
    );
    return { status: 200, body: requestedAuditsView(requested, errors) };
  },
  perf_audit_run: async ({ site, body, caller }) => {
    const audit = await audits.requestOne(site, auditRequestOf(body, requesterOf(caller)));
    return { status: 200, body: queuedAuditView(audit) };
  },
});
