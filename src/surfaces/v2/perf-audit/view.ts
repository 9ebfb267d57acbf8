import type { components } from '../../../../generated/v2.ts';
import {
  performanceScoreChange,
  isScoreBelow,
  type SiteAuditOverview,
  type DeviceAudit,
  type AuditState,
  type HistoryEntry,
  type AuditRequestOutcome,
  type Scores,
} from '../../../domains/perf-audit/index.ts';
import { toIso } from '../../../shared/clock.ts';
import type { ItemError } from '../../../shared/item-error.ts';

type Schemas = components['schemas'];

const scoresView = ({ performance, accessibility, bestPractices, seo }: Scores): Schemas['AuditScores'] => ({
  performance,
  accessibility,
  best_practices: bestPractices,
  seo,
});

const deviceAuditView = (side: DeviceAudit, withOpportunities: boolean): Schemas['AuditOfDevice'] => ({
  ...scoresView(side.scores),
  previous: side.previous && scoresView(side.previous),
  change: performanceScoreChange(side),
  fetched_at: toIso(side.fetchedAt),
  final_url: side.finalUrl,
  engine_version: side.engineVersion,
  lab_data: side.labData.map(({ id, title, score, numericValue, numericUnit, displayValue }) => ({
    id: id as Schemas['AuditLabItem']['id'],
    title,
    score,
    numeric_value: numericValue,
    numeric_unit: numericUnit,
    display_value: displayValue,
  })),
  ...(withOpportunities && {
    opportunities: side.opportunities.map(({ id, title, score, displayValue, savingsMs }) => ({
      id,
      title,
      score,
      display_value: displayValue,
      savings_ms: savingsMs,
    })),
  }),
});

const historyView = ({ auditId, fetchedAt, strategy, scores }: HistoryEntry): Schemas['AuditHistoryEntry'] => ({
  audit_id: auditId,
  fetched_at: toIso(fetchedAt),
  strategy,
  ...scoresView(scores),
});

export const auditView =
  (withOpportunities: boolean, threshold: number) =>
  ({ site, audit, sides, strategy, history }: SiteAuditOverview): Schemas['AuditResult'] => {
    const [desktop, mobile] = [sides.desktop?.scores, sides.mobile?.scores];
    return {
      id: site.id,
      site_id: site.id,
      name: site.name,
      url: site.url,
      audit_id: audit.auditId,
      state: audit.state,
      strategy,
      engine: audit.engine,
      desktop: sides.desktop && deviceAuditView(sides.desktop, withOpportunities),
      mobile: sides.mobile && deviceAuditView(sides.mobile, withOpportunities),
      desktop_performance: desktop?.performance ?? null,
      desktop_accessibility_score: desktop?.accessibility ?? null,
      desktop_best_practices_score: desktop?.bestPractices ?? null,
      desktop_seo_score: desktop?.seo ?? null,
      mobile_performance: mobile?.performance ?? null,
      mobile_accessibility_score: mobile?.accessibility ?? null,
      mobile_best_practices_score: mobile?.bestPractices ?? null,
      mobile_seo_score: mobile?.seo ?? null,
      threshold,
      below_threshold: isScoreBelow(sides, threshold),
      last_check: toIso(audit.lastCheckAt),
      error: audit.error,
      ...(history && { history: history.map(historyView) }),
    };
  };

export const requestedAuditsView = (
  { audits, queued, skipped, jobId }: AuditRequestOutcome,
  errors: ItemError[],
): Schemas['AuditsQueued'] => ({
  success: 1,
  message: `${queued} ${queued === 1 ? 'audit is' : 'audits are'} queued.`,
  data: {
    audit_ids: Object.fromEntries([...audits].map(([siteId, { auditId }]) => [siteId, auditId])),
    sites_queued: queued,
    skipped: skipped.map(({ siteId, code }) => ({ site_id: siteId, code })),
    job_id: jobId,
  },
  errors,
});

const MESSAGES: Partial<Record<AuditState, string>> = {
  queued: 'The audit is queued.',
  running: 'The audit is running.',
};

export const queuedAuditView = ({
  auditId,
  state,
  jobId,
}: {
  auditId: string;
  state: AuditState;
  jobId: string | null;
}): Schemas['AuditQueued'] => ({
  success: 1,
  message: MESSAGES[state] ?? 'The site was audited a moment ago. Send force to audit it again.',
  data: { audit_id: auditId, state: state as Schemas['QueuedAudit']['state'], job_id: jobId },
});
