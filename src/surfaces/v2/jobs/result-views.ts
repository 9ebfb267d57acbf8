import type { components } from '../../../../generated/v2.ts';
import { checkedProvider } from '../../../domains/api-backups/index.ts';
import { userResult } from '../../../domains/child-users/index.ts';
import { renewedCost } from '../../../domains/costs/index.ts';
import { checkedItem, loadedServers, type CheckedItem } from '../../../domains/domain-monitor/index.ts';
import { abandonedCheckResult, actionVerification } from '../../../domains/inventory/index.ts';
import { auditResult } from '../../../domains/perf-audit/index.ts';
import { madeResult } from '../../../domains/report-schedules/index.ts';
import { pruned } from '../../../domains/schedules/index.ts';
import { sentMail } from '../../../domains/mail/index.ts';
import { siteResult, syncedSite } from '../../../domains/sites/index.ts';
import { checkedCertificate } from '../../../domains/ssl-monitor/index.ts';
import { updateResult } from '../../../domains/updates/index.ts';
import { checkResult, watchResult } from '../../../domains/uptime/index.ts';
import { toIso } from '../../../shared/clock.ts';
import { refreshedFeed } from '../../../domains/vulnerabilities/index.ts';
import { doneView, healthView } from '../updates/view.ts';

type Schemas = components['schemas'];
type ResultView = (stored: object) => Schemas['JobItemResult'];

const shown =
  <Result>(read: (stored: unknown) => Result, view: (result: Result) => Schemas['JobItemResult']): ResultView =>
  (stored) =>
    view(read(stored));

const placed = shown(siteResult, ({ id, url }) => ({ id, url }));
const updated = shown(updateResult, ({ updated, errors, health }) => ({
  updated: updated.map(doneView),
  errors,
  ...(health && { health: healthView(health) }),
}));
const changed = shown(actionVerification, ({ changed, errors }) => ({ changed, errors }));

const domainView = (item: CheckedItem): Schemas['JobItemResult'] =>
  'sites' in item
    ? { domains: { looked_at: item.sites, told: item.told } }
    : { domain: { name: item.domain, source: item.source, expiry_date: toIso(item.expiresAt) } };

export const RESULT_VIEWS: Record<Schemas['JobType'], ResultView> = {
  sync: shown(syncedSite, ({ id, url, name }) => ({ id, url, name })),
  reconnect: placed,
  disconnect: placed,
  suspend: placed,
  check: shown(checkResult, ({ siteId, siteUrl, reachable, responseTimeMs, httpStatus }) => ({
    site_id: siteId,
    site_url: siteUrl,
    checked: true,
    reachable,
    response_time_ms: responseTimeMs,
    http_status: httpStatus,
  })),
  update: updated,
  'create-user': shown(userResult, ({ id, url, user, row }) => ({ id, url, user, ...(row !== undefined && { row }) })),
  'admin-password': placed,
  'destroy-sessions': placed,
  'renew-connections': placed,
  'disconnect-all-sites': placed,
  'renew-cost': shown(renewedCost, ({ id, name, lastRenewal, nextDue }) => ({
    cost: { id, name, last_renewal: lastRenewal, next_due: nextDue },
  })),
  'check-backups': shown(checkedProvider, ({ provider, matched, backedUp }) => ({
    provider,
    matched,
    backed_up: backedUp,
  })),
  'refresh-vulnerabilities': shown(refreshedFeed, ({ feed: kind, ...numbers }) => ({ feed: { kind, ...numbers } })),
  'perf-audit': shown(auditResult, ({ auditId, state, desktop, mobile }) => ({
    audit: { audit_id: auditId, state, desktop_performance: desktop, mobile_performance: mobile },
  })),
  'check-domains': shown(checkedItem, domainView),
  'load-rdap-servers': shown(loadedServers, ({ tlds, changed }) => ({ servers: { tlds, changed } })),
  'check-abandoned': shown(abandonedCheckResult, ({ id, url, abandoned }) => ({ id, url, abandoned })),
  prune: shown(pruned, ({ deleted }) => ({ deleted })),
  'make-report': shown(madeResult, ({ reportId: id, mailId: mail_id }) => ({ report: { id, mail_id } })),
  'send-mail': shown(sentMail, ({ mailId: id, state }) => ({ mail: { id, state } })),
  'ssl-check': shown(checkedCertificate, ({ id, url, state: status, validTo }) => ({
    id,
    url,
    certificate: { status, valid_to: toIso(validTo) },
  })),
  'uptime-check': shown(watchResult, (monitors) => ({ monitors })),
  // The item checked a site after an update, or after an action on plugins or themes.
  verify: (stored) => ('updated' in stored ? updated(stored) : changed(stored)),
};
