import type { SslFilter, SslOrder, SslState } from '../../../domains/ssl-monitor/index.ts';
import { presentFields, unlessAny } from '../input.ts';

interface ListQuery {
  status: SslState | 'any';
  search?: string;
  include?: number[];
  exclude?: number[];
}

export const filterOf = ({ status, search, include, exclude }: ListQuery): SslFilter =>
  presentFields({ state: unlessAny(status), search, include, exclude });

export const orderOf = ({ orderby, order }: { orderby: 'url' | 'valid_to'; order: 'asc' | 'desc' }): SslOrder => ({
  by: orderby === 'url' ? 'url' : 'validTo',
  direction: order,
});
