import { type SiteScope } from '../../../shared/site-scope.ts';
import type {
  AuditQuery,
  AuditRequest,
  AuditViewOptions,
  StrategyChoice,
  TimeRange,
} from '../../../domains/perf-audit/index.ts';
import type { components, operations } from '../../../../generated/v2.ts';
import { DAY } from '../../../shared/clock.ts';
import { dropEmptyFilters } from '../query-helpers.ts';
import { siteSelectionOf } from '../site-selection.ts';
import type { Requester } from '../../../shared/requester.ts';

type Schemas = components['schemas'];
type Query = NonNullable<operations['perf_audit_list']['parameters']['query']>;
type Dates = Pick<Query, 'start_date' | 'end_date'>;

export const dateRangeOf = ({ start_date: first, end_date: last }: Dates): TimeRange =>
  dropEmptyFilters({
    from: first === undefined ? undefined : Date.parse(first),
    to: last === undefined ? undefined : Date.parse(last) + DAY,
  });

export const auditQueryOf = (scope: SiteScope, query: Query): AuditQuery => {
  const { state, min_score, max_score, search, history } = query;
  const checked = history === 1 ? undefined : dateRangeOf(query);
  const filter = dropEmptyFilters({ state, minScore: min_score, maxScore: max_score, search, checked });
  return { ...siteSelectionOf(scope, query), ...filter };
};

export const auditViewOptionsOf = (query: Query): AuditViewOptions => ({
  ...dropEmptyFilters({ strategy: query.strategy }),
  ...(query.history === 1 && { history: dateRangeOf(query) }),
});

export const auditRequestOf = (
  body: (Schemas['AuditRun'] & { strategy?: StrategyChoice }) | undefined,
  requestedBy: Requester,
): AuditRequest => ({ strategy: body?.strategy ?? null, force: body?.force ?? false, requestedBy });
