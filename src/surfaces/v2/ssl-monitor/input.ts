import { type SiteScope } from '../../../shared/site-scope.ts';
import type { SslFilter, SslState } from '../../../domains/ssl-monitor/index.ts';
import { dropEmptyFilters, undefinedIfAny } from '../query-helpers.ts';

interface ListQuery {
  status: SslState | 'any';
  search?: string;
  include?: number[];
  exclude?: number[];
}

export const sslFilterOf = (scope: SiteScope, { status, search, include, exclude }: ListQuery): SslFilter => ({
  scope,
  ...dropEmptyFilters({ state: undefinedIfAny(status), search, include, exclude }),
});
