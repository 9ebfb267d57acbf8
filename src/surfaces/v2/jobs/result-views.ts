import type { components } from '../../../../generated/v2.ts';
import { parseBackupCheckCounts } from '../../../domains/api-backups/index.ts';
import { parseUserCreationJobResult } from '../../../domains/child-users/index.ts';
import { parseRenewedCost } from '../../../domains/costs/index.ts';
import {
  parseDomainCheckJobResult,
  parseBootstrapLoadResult,
  type DomainCheckJobResult,
} from '../../../domains/domain-monitor/index.ts';
import { parseAbandonedSearchResult, parseActionVerification } from '../../../domains/inventory/index.ts';
import { parseInstallJobResult, parseRollbackJobResult } from '../../../domains/packages/index.ts';
import { parseAuditJobResult } from '../../../domains/perf-audit/index.ts';
import { parsePinJobResult } from '../../../domains/pins/index.ts';
import { parseMakeReportResult } from '../../../domains/report-schedules/index.ts';
import { parsePruneResult } from '../../../domains/schedules/index.ts';
import { parseSendMailResult } from '../../../domains/mail/index.ts';
import { parseSiteJobResult, parseSyncJobResult } from '../../../domains/sites/index.ts';
import { parseSslCheckJobResult } from '../../../domains/ssl-monitor/index.ts';
import { parseUpdateJobResult } from '../../../domains/updates/index.ts';
import { parseReachabilityResult, parseWatchResult } from '../../../domains/uptime/index.ts';
import { toIso } from '../../../shared/clock.ts';
import { parseFeedRefreshJobResult } from '../../../domains/vulnerabilities/index.ts';
import { parseSwitchResult } from '../../../domains/vulnerability-fixes/index.ts';
import { installedPackageView, rolledBackPackageView } from '../packages/view.ts';
import { pinOnSiteView } from '../pins/view.ts';
import { finishedUpdateView, skippedUpdateView, updateHealthView } from '../updates/view.ts';

type Schemas = components['schemas'];
type ResultView = (stored: object) => Schemas['JobItemResult'];

const resultView =
  <Result>(read: (stored: unknown) => Result, view: (result: Result) => Schemas['JobItemResult']): ResultView =>
  (stored) =>
    view(read(stored));

const siteView = resultView(parseSiteJobResult, ({ id, url }) => ({ id, url }));
const updateView = resultView(parseUpdateJobResult, ({ updated, errors, skipped = [], health, nothingToDo }) => ({
  updated: updated.map(finishedUpdateView),
  errors,
  ...(skipped.length > 0 && { skipped: skipped.map(skippedUpdateView) }),
  ...(health && { health: updateHealthView(health) }),
  ...(nothingToDo && { nothing_to_do: true }),
}));
const actionView = resultView(parseActionVerification, ({ changed, errors }) => ({ changed, errors }));

const pinsView = resultView(parsePinJobResult, ({ pins, errors }) => ({ pins: pins.map(pinOnSiteView), errors }));

const domainCheckResultView = (item: DomainCheckJobResult): Schemas['JobItemResult'] =>
  'sites' in item
    ? { domains: { looked_at: item.sites, told: item.told } }
    : { domain: { name: item.domain, source: item.source, expiry_date: toIso(item.expiresAt) } };

/** Views of the results that callers see. The result of another job type is an empty object. */
export const RESULT_VIEWS: Partial<Record<Schemas['JobType'], ResultView>> = {
  sync: resultView(parseSyncJobResult, ({ id, url, name }) => ({ id, url, name })),
  reconnect: siteView,
  disconnect: siteView,
  suspend: siteView,
  check: resultView(parseReachabilityResult, ({ siteId, siteUrl, reachable, responseTimeMs, httpStatus }) => ({
    site_id: siteId,
    site_url: siteUrl,
    checked: true,
    reachable,
    response_time_ms: responseTimeMs,
    http_status: httpStatus,
  })),
  update: updateView,
  'fix-vulnerability': updateView,
  'switch-vulnerable-plugin': resultView(parseSwitchResult, ({ changed, errors, health }) => ({
    changed,
    errors,
    ...(health && { health: updateHealthView(health) }),
  })),
  'install-package': resultView(parseInstallJobResult, ({ installed, errors }) => ({
    installed: installed && installedPackageView(installed),
    errors,
  })),
  'rollback-package': resultView(parseRollbackJobResult, (result) => ({
    rolled_back: rolledBackPackageView(result),
    errors: result.errors,
  })),
  'create-user': resultView(parseUserCreationJobResult, ({ id, url, user, row }) => ({
    id,
    url,
    user,
    ...(row !== undefined && { row }),
  })),
  'admin-password': siteView,
  'destroy-sessions': siteView,
  'renew-connections': siteView,
  'disconnect-all-sites': siteView,
  'renew-cost': resultView(parseRenewedCost, ({ id, name, lastRenewal, nextDue }) => ({
    cost: { id, name, last_renewal: lastRenewal, next_due: nextDue },
  })),
  pin: pinsView,
  unpin: pinsView,
  'pin-auto-updates': pinsView,
  'check-backups': resultView(parseBackupCheckCounts, ({ provider, matched, backedUp }) => ({
    provider,
    matched,
    backed_up: backedUp,
  })),
  'refresh-vulnerabilities': resultView(parseFeedRefreshJobResult, ({ feed: kind, ...numbers }) => ({
    feed: { kind, ...numbers },
  })),
  'perf-audit': resultView(parseAuditJobResult, ({ auditId, state, desktop, mobile }) => ({
    audit: { audit_id: auditId, state, desktop_performance: desktop, mobile_performance: mobile },
  })),
  'check-domains': resultView(parseDomainCheckJobResult, domainCheckResultView),
  'load-rdap-servers': resultView(parseBootstrapLoadResult, ({ tlds, changed }) => ({ servers: { tlds, changed } })),
  'check-abandoned': resultView(parseAbandonedSearchResult, ({ id, url, abandoned }) => ({ id, url, abandoned })),
  prune: resultView(parsePruneResult, ({ deleted }) => ({ deleted })),
  'make-report': resultView(parseMakeReportResult, ({ reportId: id, mailId: mail_id }) => ({
    report: { id, mail_id },
  })),
  'send-mail': resultView(parseSendMailResult, ({ mailId: id, state }) => ({ mail: { id, state } })),
  'ssl-check': resultView(parseSslCheckJobResult, ({ id, url, state: status, validTo }) => ({
    id,
    url,
    certificate: { status, valid_to: toIso(validTo) },
  })),
  'uptime-check': resultView(parseWatchResult, (monitors) => ({ monitors })),
  // The item checked a site after an update, or after an action on plugins or themes.
  verify: (stored) => ('updated' in stored ? updateView(stored) : actionView(stored)),
};
