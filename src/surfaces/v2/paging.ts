import { offsetOf, pageCount, type Page, type PageRequest } from '../../shared/paging.ts';

const MAX_PER_PAGE = 500;

export const pageRequestOf = (query: { page: number; per_page: number }): PageRequest => ({
  page: query.page,
  perPage: Math.min(query.per_page, MAX_PER_PAGE),
});

export const pageOfList = <T>(items: readonly T[], request: PageRequest): Page<T> => {
  const start = offsetOf(request);
  return { ...request, items: items.slice(start, start + request.perPage), total: items.length };
};

export const pagingFields = <T>({
  total,
  page,
  perPage,
}: Page<T>): { total: number; page: number; per_page: number; pages: number } => ({
  total,
  page,
  per_page: perPage,
  pages: pageCount(total, perPage),
});

export function pageHeaders<T>(
  { total, page, perPage }: Page<T>,
  address: string,
  query: Record<string, unknown>,
): Record<string, string> {
  const pages = pageCount(total, perPage);
  const others = new URL(address);
  for (const [name, value] of Object.entries({ ...query, page: undefined, per_page: undefined }))
    if (value !== undefined) others.searchParams.set(name, String(value));
  const start = `${others.href}${others.search === '' ? '?' : '&'}page=`;
  const at = (to: number): string => `${start}${to}&per_page=${perPage}`;
  const relations: [string, number, boolean][] = [
    ['first', 1, page > 1],
    ['prev', Math.min(page - 1, pages), page > 1],
    ['next', page + 1, page < pages],
    ['last', pages, page < pages],
  ];
  const links = relations.filter(([, , there]) => there).map(([relation, to]) => `<${at(to)}>; rel="${relation}"`);
  return {
    'X-WP-Total': String(total),
    'X-WP-TotalPages': String(pages),
    ...(links.length ? { Link: links.join(', ') } : {}),
  };
}

export const pageResponse = <T, V>(
  page: Page<T>,
  view: (item: T) => V,
  address: string,
  query: Record<string, unknown>,
): {
  status: 200;
  body: { success: 1; data: V[] } & ReturnType<typeof pagingFields>;
  headers: Record<string, string>;
} => ({
  status: 200,
  body: { success: 1, data: page.items.map(view), ...pagingFields(page) },
  headers: pageHeaders(page, address, query),
});
