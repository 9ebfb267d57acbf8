import { deref, recordLocationOf, type ContractResponse } from '../contract/index.ts';
import type { ResponseChecker } from './response-checker.ts';
import {
  callOperation,
  recordsIn,
  requestOf,
  queryParameterSchema,
  type ReadOperation,
  type Session,
} from './reads.ts';
import type { Reply } from './service.ts';

const OPTIONAL_HEADERS = new Set(['idempotency-replayed', 'link', 'retry-after', 'etag']);

export async function checkAnswer(read: ReadOperation, session: Session, check: ResponseChecker): Promise<Reply> {
  const { findings } = session;
  const { method, path } = await requestOf(read, session);
  const reply = await callOperation(read, session);
  checkReply(read, session, check, method, path, reply);
  if (reply.status >= 500)
    findings.fail('answers', read.id, `${read.id} answered ${reply.status}: ${reply.text.slice(0, 300)}`);
  findings.expect(
    'headers',
    `${read.id} X-Request-Id`,
    reply.headers.get('x-request-id') !== null,
    `${read.id} answers without X-Request-Id.`,
  );
  return reply;
}

function checkReply(
  read: ReadOperation,
  session: Session,
  check: ResponseChecker,
  method: string,
  path: string,
  reply: Reply,
): void {
  const { findings } = session;
  const { status, headers, text } = reply;
  const { problem, violations } = check.check(method, path, status, reply.json ?? text);
  if (problem === null) findings.passed('answers', read.id, `It answered ${status}.`);
  else findings.fail('answers', read.id, problem, violations);
  const answer = read.place.operation.responses[String(status)];
  if (!answer) return;
  const { content, headers: listed = {} } = deref<ContractResponse>(read.contract, answer);
  const type = (headers.get('content-type') ?? '').split(';')[0]?.trim() ?? '';
  const types = Object.keys(content ?? {});
  if (types.length > 0)
    findings.expect(
      'answers',
      read.id,
      types.includes(type),
      `${read.id} (${status}) is ${type || 'of no type'}, where the contract says ${types.join(' or ')}.`,
    );
  for (const name of Object.keys(listed).filter((each) => !OPTIONAL_HEADERS.has(each.toLowerCase())))
    findings.expect(
      'headers',
      `${read.id} ${name}`,
      headers.get(name) !== null,
      `${read.id} (${status}) answers without ${name}, which the contract lists.`,
    );
}

export async function checkCredential(read: ReadOperation, session: Session): Promise<void> {
  const { method, path, body } = await requestOf(read, session);
  const { status, headers, json } = await session.service.call(method, path, { as: 'nobody', body });
  const { code } = (json ?? {}) as { code?: string };
  const isRefused = status === 401 && code === 'svc_unauthenticated' && headers.get('www-authenticate') !== null;
  session.findings.expect(
    'credentials',
    read.id,
    isRefused,
    `${read.id} answers ${status} ${code ?? ''} without a credential, where it must refuse with 401, ` +
      'svc_unauthenticated and WWW-Authenticate.',
  );
}

/** Number of attempts for records that change between two calls, such as a task whose timer runs or a growing log. */
const ATTEMPTS = 3;

/**
 * Checks that a page has at most `per_page` records, that pages do not overlap, that a page after the last one is
 * empty, and that the total is the same on all pages and equals the number of records. A list that changes meanwhile is
 * read again.
 */
export async function checkPaging(read: ReadOperation, session: Session): Promise<void> {
  if (!isPaged(read)) return;
  const { findings } = session;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const pages: PageReply[] = [];
    for (const page of ['1', '2', '100000']) {
      const reply = await readPage(read, session, page, 1);
      if (reply.status !== 200) return findings.skipped('paging', read.id, `It answers ${reply.status}.`);
      pages.push(reply);
    }
    const problems = pagingProblems(pages, await readPage(read, session, '1', LONG_PAGE));
    if (problems.length === 0) return findings.passed('paging', read.id);
    const [first] = pages;
    if (first?.state !== (await readPage(read, session, '1', 1)).state) continue;
    for (const problem of problems) findings.fail('paging', read.id, `${read.id}: ${problem}`);
    return;
  }
  findings.skipped('paging', read.id, 'The list changes from call to call.');
}

interface PageReply {
  status: number;
  page: string;
  records: Record<string, unknown>[];
  isList: boolean;
  total: number | undefined;
  totalHeader: string | null;
  /** Text that differs between two calls if records were added or removed between them. */
  state: string;
}

async function readPage(read: ReadOperation, session: Session, page: string, perPage: number): Promise<PageReply> {
  const reply = await callOperation(read, session, { query: { page, per_page: String(perPage) } });
  const list = recordsIn(reply.json);
  const total = totalOf(reply);
  return {
    ...{ status: reply.status, page, records: list ?? [], isList: list !== null, total },
    totalHeader: reply.headers.get('x-wp-total'),
    state: JSON.stringify([total, list?.map((record) => record['id'] ?? record)]),
  };
}

function pagingProblems(pages: readonly PageReply[], long: PageReply): string[] {
  const [first, second, last] = pages;
  const [one, other] = [first?.records[0], second?.records[0]];
  const totals = pages.map(({ total }) => total);
  const problems = pages
    .filter(({ records }) => records.length > 1)
    .map(({ page, records }) => `page ${page} has ${records.length} records, where per_page is 1.`);
  if (one && other && JSON.stringify(one) === JSON.stringify(other)) problems.push('page 2 shows what page 1 shows.');
  if (last && last.records.length > 0) problems.push('a page far after the last one has records.');
  if (new Set(totals).size > 1) problems.push(`pages disagree on the total: ${totals.join(', ')}.`);
  const listed = long.records.length;
  if (long.isList && long.total !== undefined && listed < LONG_PAGE && listed !== long.total)
    problems.push(`the total is ${long.total}, but the only page has ${listed} records.`);
  const { total, totalHeader = null } = first ?? {};
  if (totalHeader !== null && total !== undefined && Number(totalHeader) !== total)
    problems.push(`X-WP-Total says ${totalHeader}, the body ${total}.`);
  return problems;
}

const isPaged = (read: ReadOperation): boolean =>
  queryParameterSchema(read, 'page') !== undefined && queryParameterSchema(read, 'per_page') !== undefined;

/**
 * Checks the total of a response without pages. It must equal the field `count`. If the response has no such field, it
 * must equal the number of records.
 */
export function checkTotal(read: ReadOperation, { findings }: Session, { json }: Reply): void {
  const { total, count } = (json ?? {}) as { total?: unknown; count?: unknown };
  const counted = typeof count === 'number' ? count : recordsIn(json)?.length;
  if (isPaged(read) || typeof total !== 'number' || counted === undefined) return;
  const problem = `${read.id}: the total is ${total}, but there are ${counted} records.`;
  findings.expect('paging', read.id, counted === total, problem);
}

/** Page size that all lists allow. If the first page of this size is shorter, it contains all records. */
const LONG_PAGE = 100;

const totalOf = ({ json, headers }: Reply): number | undefined =>
  (json as { total?: number } | undefined)?.total ?? (Number(headers.get('x-wp-total') ?? Number.NaN) || undefined);

/**
 * Returns a function that takes a record of a later response, and returns the value that the record with the same ID
 * has in `records`. The value in the later response can be larger, such as the time of a running task. If IDs are not
 * distinct, the function returns the value of the record itself.
 */
function valuesAt(
  records: readonly Record<string, unknown>[],
  field: string,
): (record: Record<string, unknown>) => unknown {
  const values = new Map(records.map((record) => [record['id'], record[field]]));
  const isDistinct = values.size === records.length;
  return (record) => (isDistinct && values.has(record['id']) ? values.get(record['id']) : record[field]);
}

export async function checkSorting(read: ReadOperation, session: Session): Promise<void> {
  const fields = valuesOf(read, 'orderby');
  const orders = valuesOf(read, 'order');
  if (!fields.length || !orders.includes('asc') || !orders.includes('desc')) return;
  for (const orderby of fields) await checkOrder(read, session, orderby);
}

async function checkOrder(read: ReadOperation, session: Session, orderby: string): Promise<void> {
  const subject = `${read.id} ${orderby}`;
  const { findings } = session;
  const sized: Record<string, string> = queryParameterSchema(read, 'per_page') ? { per_page: '100' } : {};
  const list = (order: string): Promise<Reply> => callOperation(read, session, { query: { orderby, order, ...sized } });
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const replies = [await list('asc'), await list('desc')];
    if (replies.some(({ status }) => status !== 200))
      return findings.skipped('order', subject, `It answers ${replies.map(({ status }) => status).join(' and ')}.`);
    const valueOf = valuesAt(recordsIn(replies[0]?.json) ?? [], orderby);
    const lists = replies.map((reply) => ({
      total: totalOf(reply),
      values: (recordsIn(reply.json) ?? []).map(valueOf),
    }));
    const [up = [], down = []] = lists.map(({ values }) => values);
    // Null values are at the same end in both orders, so a list with one is not compared. A list of several pages is
    // not compared either, because a page shows only one end.
    const isWhole = lists.every(({ total, values }) => total === undefined || total === values.length);
    const comparable = isWhole && [...up, ...down].every((value) => value !== null && value !== undefined);
    if (!comparable || up.length < 2)
      return findings.skipped(
        'order',
        subject,
        'There are too few records to see an order in, or more than a page, or some without a value.',
      );
    if (JSON.stringify([...up].reverse()) === JSON.stringify(down)) return findings.passed('order', subject);
    if (idsOf(replies[0]) !== idsOf(await list('asc'))) continue;
    return findings.fail('order', subject, `${read.id} by ${orderby}: desc is not asc backwards.`);
  }
  findings.skipped('order', subject, 'The list changes from call to call.');
}

const idsOf = (reply: Reply | undefined): string =>
  JSON.stringify((recordsIn(reply?.json) ?? []).map((record) => JSON.stringify(record['id'] ?? record)).sort());

const valuesOf = (read: ReadOperation, name: string): string[] =>
  (deref(read.contract, queryParameterSchema(read, name) ?? {})['enum'] as string[] | undefined) ?? [];

export async function checkFieldSelection(
  read: ReadOperation,
  session: Session,
  check: ResponseChecker,
): Promise<void> {
  if (!queryParameterSchema(read, '_fields')) return;
  const { findings } = session;
  const whole = await callOperation(read, session);
  const [record] = sampleOf(read, whole.json);
  const field = Object.keys(record ?? {}).find((name) => name !== 'id');
  if (whole.status !== 200 || field === undefined)
    return findings.skipped('fields', read.id, 'There is no record to show a part of.');
  const { path, method } = await requestOf(read, session);
  const part = await callOperation(read, session, { query: { _fields: field } });
  const selected = check.check(method, `${path.split('?')[0]}?_fields=${field}`, part.status, part.json ?? part.text);
  if (selected.problem !== null) findings.fail('fields', read.id, selected.problem, selected.violations);
  for (const shown of sampleOf(read, part.json)) {
    const others = Object.keys(shown).filter((name) => name !== field && name !== 'id');
    findings.expect(
      'fields',
      read.id,
      others.length === 0 && field in shown,
      `${read.id} with _fields=${field} shows ${others.join(', ') || 'nothing of it'}.`,
    );
  }
  const strange = await callOperation(read, session, { query: { _fields: 'no_record_has_this' } });
  const { problem, violations } = check.check(method, path, strange.status, strange.json ?? strange.text);
  findings.expect(
    'fields',
    read.id,
    strange.status === 400 && problem === null,
    problem ?? `${read.id} with a field that no record has answers ${strange.status}, where it must refuse with 400.`,
    violations,
  );
}

function sampleOf({ contract, place }: ReadOperation, json: unknown): Record<string, unknown>[] {
  const { data } = (json ?? {}) as { data?: unknown };
  const { key } = recordLocationOf(contract, place.operation) ?? { key: 'schema' };
  const records = { items: Array.isArray(json) ? json : data, data: [data], schema: [json] }[key];
  return (recordsIn(records) ?? []).slice(0, 3);
}

export async function checkEtag(read: ReadOperation, session: Session): Promise<void> {
  if (!read.place.operation['x-etag'] || read.place.verb !== 'get') return;
  const { findings } = session;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const first = await callOperation(read, session);
    if (first.status !== 200) return findings.skipped('tags of records', read.id, `It answers ${first.status}.`);
    const tag = first.headers.get('etag');
    if (!findings.expect('tags of records', read.id, tag !== null, `${read.id} answers without ETag.`)) return;
    const again = await callOperation(read, session, { headers: { 'If-None-Match': tag ?? '' } });
    if (hasChanged(first, again)) continue;
    findings.expect(
      'tags of records',
      read.id,
      again.status === 304 && again.text === '' && again.headers.get('etag') === tag,
      `${read.id} answers ${again.status} to the tag that it gave, where it must answer 304 with the tag and no body.`,
    );
    return;
  }
  findings.skipped('tags of records', read.id, 'The record changes from call to call.');
}

/** True if both the ETag and the content of the record have changed. A new ETag for the same content is a violation. */
function hasChanged(first: Reply, again: Reply): boolean {
  const [tag, newTag] = [first, again].map(({ headers }) => headers.get('etag'));
  return again.status === 200 && newTag !== null && newTag !== tag && again.text !== first.text;
}

export async function checkErrors(read: ReadOperation, session: Session, check: ResponseChecker): Promise<void> {
  if (!queryParameterSchema(read, 'page')) return;
  const { method, path } = await requestOf(read, session);
  const reply = await callOperation(read, session, { query: { page: '0' } });
  const { problem, violations } = check.check(method, path, reply.status, reply.json ?? reply.text);
  const { data } = (reply.json ?? {}) as { data?: { errors?: { path?: string }[] } };
  const named = data?.errors?.some((each) => each.path?.endsWith('page')) ?? false;
  session.findings.expect(
    'refusals',
    read.id,
    reply.status === 400 && problem === null && named,
    problem ?? `${read.id} with page=0 answers ${reply.status}, where it must refuse with 400 and name the page.`,
    violations,
  );
}
