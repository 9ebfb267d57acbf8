import type { ListOrder, SortDirection } from '../../shared/list-order.ts';
import { isEmptyFilter } from '../../shared/filters.ts';
import { splitList } from '../../shared/text.ts';

export const dropEmptyFilters = <T extends object>(filter: T): { [N in keyof T]?: NonNullable<T[N]> } =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => !isEmptyFilter(value))) as {
    [N in keyof T]?: NonNullable<T[N]>;
  };

export const parseList = (value: string | readonly string[] | undefined): string[] =>
  typeof value === 'string' ? splitList(value) : (value ?? []).map((item) => item.trim()).filter(Boolean);

export const undefinedIfAny = <T extends string>(value: T): Exclude<T, 'any'> | undefined =>
  value === 'any' ? undefined : (value as Exclude<T, 'any'>);

export const listOrderOf = <By extends string>(query: { orderby: By; order: SortDirection }): ListOrder<By> => ({
  by: query.orderby,
  direction: query.order,
});
