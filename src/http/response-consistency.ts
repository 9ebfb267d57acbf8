import { deref, memoize, operationsOf, type Contract, type ContractResponse } from '../contract/index.ts';
import { pageCount } from '../shared/paging.ts';
import type { HandlerResponse } from './operation-types.ts';

/** Headers that every 200 has if the contract lists them. All others depend on the request or are set elsewhere. */
const REQUIRED_HEADERS = ['X-WP-Total', 'X-WP-TotalPages'];

const requiredHeadersOf = memoize(
  (contract: Contract): ReadonlyMap<string, readonly string[]> =>
    new Map(
      operationsOf(contract).map(({ operation, verb }) => {
        const response = operation.responses['200'];
        const listed = Object.keys((response && deref<ContractResponse>(contract, response).headers) ?? {});
        // An edit can make the record invisible for its caller. Its response then has no ETag.
        const required = verb === 'get' ? [...REQUIRED_HEADERS, 'ETag'] : REQUIRED_HEADERS;
        return [operation.operationId, required.filter((name) => listed.includes(name))];
      }),
    ),
);

interface PagedBody {
  data?: unknown;
  items?: unknown;
  total?: unknown;
  page?: unknown;
  per_page?: unknown;
  pages?: unknown;
}

/**
 * Returns how a response contradicts itself or which header it lacks, or null. A schema cannot check this. Totals are
 * not compared with the number of records: a record can be added between the SQL statements that read the two.
 */
export function inconsistencyOf(contract: Contract, operation: string, response: HandlerResponse): string | null {
  const { status, headers = {}, body } = response;
  if (status !== 200) return null;
  const missing = requiredHeadersOf(contract)
    .get(operation)
    ?.find((name) => headers[name] === undefined);
  if (missing !== undefined) return `the response lacks the header ${missing}`;
  if (typeof body !== 'object' || body === null) return null;
  const { data, items, total, page, per_page: perPage, pages } = body as PagedBody;
  const totalHeader = headers['X-WP-Total'];
  if (typeof total !== 'number') return null;
  if (totalHeader !== undefined && totalHeader !== String(total))
    return `total is ${total}, but X-WP-Total is ${totalHeader}`;
  if (typeof perPage !== 'number' || typeof page !== 'number') return null;
  const count = pageCount(total, perPage);
  if (typeof pages === 'number' && pages !== count) return `pages is ${pages}, but there are ${count}`;
  const pagesHeader = headers['X-WP-TotalPages'];
  if (pagesHeader !== undefined && pagesHeader !== String(count))
    return `X-WP-TotalPages is ${pagesHeader}, not ${count}`;
  const records = [data, items].find(Array.isArray)?.length ?? 0;
  return records > perPage ? `the page has ${records} records, but per_page is ${perPage}` : null;
}
