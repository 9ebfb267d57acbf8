import type { Operation } from '../../generated/sdk/operation.ts';
import type { FullAnswer } from './answer.ts';

export type FetchPage = (input: unknown) => Promise<FullAnswer<unknown>>;

interface FetchedPage {
  data: unknown;
  items: unknown[];
}

/**
 * Yields pages until the last one, by the number of pages or items in the response. Also ends at an empty page, because
 * items may have been deleted in the meantime.
 */
export async function* pagesOf(
  operation: Operation,
  input: unknown,
  ask: FetchPage,
): AsyncGenerator<FetchedPage, void, undefined> {
  let seen = 0;
  for (let page = firstPage(operation, input); ; page++) {
    const { data, headers } = await ask(withPageNumber(operation, input, page));
    const items = itemsIn(data, operation.list ?? '');
    if (items.length === 0 && seen > 0) return;
    yield { data, items };
    seen += items.length;
    const total = (data as { total?: number }).total ?? Number(headers.get('x-wp-total'));
    const pages = Number(headers.get('x-wp-totalpages'));
    if (items.length === 0 || (pages > 0 ? page >= pages : seen >= total)) return;
  }
}

export async function* itemsOf(
  operation: Operation,
  input: unknown,
  ask: FetchPage,
): AsyncGenerator<unknown, void, undefined> {
  for await (const { items } of pagesOf(operation, input, ask)) yield* items;
}

interface PagingFields {
  page?: number;
}

const pagingFieldsOf = ({ ability }: Operation, input: unknown): PagingFields =>
  (ability ? (input as PagingFields | undefined) : (input as { query?: PagingFields } | undefined)?.query) ?? {};

const firstPage = (operation: Operation, input: unknown): number => pagingFieldsOf(operation, input).page ?? 1;

function withPageNumber(operation: Operation, input: unknown, page: number): unknown {
  const fields = { ...pagingFieldsOf(operation, input), page };
  return operation.ability ? fields : { ...(input as object | undefined), query: fields };
}

/** Returns the items of a page. A list that is an object is returned as pairs of name and item. */
function itemsIn(data: unknown, list: string): unknown[] {
  const place = list === '' ? data : (data as Record<string, unknown>)[list];
  return Array.isArray(place) ? (place as unknown[]) : Object.entries(place as object);
}
