import type { ExposureFilter, ExposureState, ItemType, Severity } from '../../../domains/vulnerabilities/index.ts';
import { throwFieldError } from '../../../shared/field-errors.ts';
import type { SiteScope } from '../../../shared/site-scope.ts';
import { dropEmptyFilters } from '../query-helpers.ts';

interface Query {
  state: ExposureState;
  sites?: number[];
  type?: ItemType;
  slug?: string;
  severity?: Severity[];
  search?: string;
  vulnerability_id?: number;
  from?: string;
  to?: string;
}

const parseOptionalTime = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Date.parse(text);

export function exposureFilterOf(scope: SiteScope, query: Query): ExposureFilter {
  const { state, sites, type, slug, severity, search, vulnerability_id: vulnerabilityId } = query;
  const [from, to] = [parseOptionalTime(query.from), parseOptionalTime(query.to)];
  if (from !== undefined && to !== undefined && from > to) throwFieldError('to', 'must not be before from');
  return {
    scope,
    state,
    ...dropEmptyFilters({ siteIds: sites, type, slug, severities: severity, search, vulnerabilityId, from, to }),
  };
}
