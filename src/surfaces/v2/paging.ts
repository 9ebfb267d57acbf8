import { offsetOf, pageCount, type Page, type PageRequest } from '../../shared/paging.ts';

const MAX_PER_PAGE = 500;
/** Node refuses a response whose headers have more than 16 KiB. */
const MAX_LINK_CHARACTERS = 8192;

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
  const before = page > 1 ? { first: 1, prev: Math.min(page - 1, pages) } : {};
  const after = page < pages ? { next: page + 1, last: pages } : {};
  const linksTo = (pageNumbers: Record<string, number | undefined>): string =>
    Object.entries(pageNumbers)
      .flatMap(([relation, to]) => (to === undefined ? [] : `<${at(to)}>; rel="${relation}"`))
      .join(', ');
  const link = [{ ...before, ...after }, { prev: before.prev, next: after.next }, { next: after.next }]
    .map(linksTo)
    .find(({ length }) => length <= MAX_LINK_CHARACTERS);
  return {
    'X-WP-Total': String(total),
    'X-WP-TotalPages': String(pages),
    ...(link ? { Link: link } : {}),
  };
}

type PageBody<V> = { success: 1; data: V[] } & ReturnType<typeof pagingFields>;

export const pageBody = <T, V>(page: Page<T>, view: (item: T) => V): PageBody<V> => ({
  success: 1,
  data: page.items.map(view),
  ...pagingFields(page),
});

export const pageResponse = <T, V>(
  page: Page<T>,
  view: (item: T) => V,
  address: string,
  query: Record<string, unknown>,
): { status: 200; body: PageBody<V>; headers: Record<string, string> } => ({
  status: 200,
  body: pageBody(page, view),
  headers: pageHeaders(page, address, query),
});
