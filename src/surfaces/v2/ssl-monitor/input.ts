import type { SslFilter, SslOrder, SslState } from '../../../domains/ssl-monitor/index.ts';
import { dropEmptyFilters, undefinedIfAny } from '../query-helpers.ts';

interface ListQuery {
  status: SslState | 'any';
  search?: string;
  include?: number[];
  exclude?: number[];
}

export const sslFilterOf = ({ status, search, include, exclude }: ListQuery): SslFilter =>
  dropEmptyFilters({ state: undefinedIfAny(status), search, include, exclude });

export const sslOrderOf = ({ orderby, order }: { orderby: 'url' | 'valid_to'; order: 'asc' | 'desc' }): SslOrder => ({
  by: orderby === 'url' ? 'url' : 'validTo',
  direction: order,
});
