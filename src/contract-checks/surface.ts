import { basePathOf, operationsOf, verbsOf, type Contract, type Surface } from '../contract/index.ts';
import { ResponseChecker } from './response-checker.ts';
import { changesOf } from './comparison/operations.ts';
import { addErrorLists } from './comparison/error-lists.ts';
import type { ComparableContract } from './comparison/pair.ts';
import { CheckNotPossible } from './check-not-possible.ts';
import * as laws from './laws.ts';
import { discoverKnownValues, readOperationsOf, type ReadOperation, type Session } from './reads.ts';

const CONCURRENCY = 4;

/**
 * Reads the contract that the service serves. `known` is the contract that callers use. If the served contract breaks
 * these callers, failures are reported. Throws if the service serves no contract and `known` is undefined.
 */
export async function checkContract(
  surface: Surface,
  known: ComparableContract | undefined,
  { service, findings }: Session,
): Promise<Contract> {
  const { status, json } = await service.call('GET', `/openapi/${surface}.json`, { as: 'nobody' });
  const served = json as ComparableContract | undefined;
  if (status !== 200 || served?.paths === undefined) {
    const message = `/openapi/${surface}.json answers ${status} and no contract.`;
    if (!known) throw new CheckNotPossible(message, status);
    findings.fail('contract', surface, message);
    return known;
  }
  const base = pathOfServer(served);
  // The URL in the contract is the configured one. The service may have been called at another URL, so only the path is
  // used.
  served.servers = [{ url: base }];
  findings.passed('contract', surface);
  if (!known) return served;
  const expected = pathOfServer(known);
  findings.expect(
    'contract',
    `${surface} servers`,
    base === expected,
    `/openapi/${surface}.json says that its operations stand under ${base}, not ${expected}.`,
  );
  const ours = { ...structuredClone(known), servers: served.servers };
  for (const document of [ours, served]) addErrorLists(document);
  const changes = changesOf(surface, ours, served);
  for (const { level, kind, subject, message } of changes)
    if (level === 'breaking') findings.fail('contract', `${surface} ${kind} ${subject}`, message);
  return served;
}

const pathOfServer = (contract: Contract): string => new URL(basePathOf(contract), 'http://service').pathname;

export async function checkSurface(
  contract: Contract,
  session: Session,
  { live, only }: { live: boolean; only: RegExp | null },
): Promise<void> {
  const { findings } = session;
  const { reads, left } = readOperationsOf(contract, live);
  await discoverKnownValues(reads, session);
  for (const { id } of left)
    if (only?.test(id) ?? true) findings.skipped('answers', id, 'It calls sites; --live allows it.');
  const check = new ResponseChecker(contract);
  const waiting = reads.filter(({ id }) => only?.test(id) ?? true);
  const work = async (): Promise<void> => {
    for (let read = waiting.shift(); read; read = waiting.shift()) await checkRead(read, session, check);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  await checkAddresses(contract, session, check);
}

async function checkRead(read: ReadOperation, session: Session, check: ResponseChecker): Promise<void> {
  try {
    const answer = await laws.checkAnswer(read, session, check);
    await laws.checkCredential(read, session);
    if (answer.status !== 200) return;
    laws.checkTotal(read, session, answer);
    await laws.checkPaging(read, session);
    await laws.checkSorting(read, session);
    await laws.checkFieldSelection(read, session, check);
    await laws.checkEtag(read, session);
    await laws.checkErrors(read, session, check);
  } catch (error) {
    session.service.signal.throwIfAborted();
    const { message, cause } = error as Error;
    const why = cause instanceof Error ? `${message}: ${cause.message}` : message;
    session.findings.fail('answers', read.id, `${read.id} could not be called: ${why}`);
  }
}

async function checkAddresses(
  contract: Contract,
  { service, findings }: Session,
  check: ResponseChecker,
): Promise<void> {
  const base = basePathOf(contract);
  const nowhere = `${base}/no-such-part/at-all`;
  const lost = await service.call('GET', nowhere);
  const { problem, violations } = check.check('GET', nowhere, lost.status, lost.json ?? lost.text);
  const { code } = (lost.json ?? {}) as { code?: string };
  findings.expect(
    'refusals',
    `${base} unknown address`,
    lost.status === 404 && code === 'rest_no_route' && problem === null,
    problem ?? `${nowhere} answers ${lost.status} ${code ?? ''}, where it must refuse with 404 rest_no_route.`,
    violations,
  );
  // No operation of this path has the verb PUT, so the call cannot change anything.
  const place = operationsOf(contract).find(
    ({ path, item }) => !path.includes('{') && path.length > 1 && !item.put && !item.patch && !item.delete,
  );
  if (!place) return;
  const wrong = await service.call('PUT', base + place.path, { body: '{}' });
  const allow = (wrong.headers.get('allow') ?? '').split(/, */);
  const isComplete = verbsOf(place.item).every((verb) => allow.includes(verb.toUpperCase()));
  findings.expect(
    'refusals',
    `${base} unknown verb`,
    wrong.status === 405 && isComplete,
    `PUT ${place.path} answers ${wrong.status} with Allow: ${allow.join(', ') || 'nothing'}, where it must refuse with ` +
      `405 and name ${verbsOf(place.item).join(', ').toUpperCase()}.`,
  );
  const stranger = await service.call('GET', `${base}/`, { as: 'stranger' });
  findings.expect(
    'credentials',
    `${base} unknown key`,
    stranger.status === 401,
    `A key that nobody has is answered ${stranger.status}, where it must be refused with 401.`,
  );
  for (const as of ['key', 'password'] as const)
    if (service.has(as)) {
      const { status } = await service.call('GET', nowhere, { as });
      findings.expect(
        'credentials',
        `${base} by ${as}`,
        status !== 401 && status !== 403,
        `The ${as} that was given is refused with ${status} under ${base}.`,
      );
    }
}
