import { SURFACES, type Contract, type Surface } from '../contract/index.ts';
import { CheckNotPossible, NothingToCheck } from './check-not-possible.ts';
import type { ComparableContract } from './comparison/pair.ts';
import { Findings } from './findings.ts';
import { readOperationsOf, type Session } from './reads.ts';
import type { VerificationReport } from './report.ts';
import { VerifiedService, type Credentials } from './service.ts';
import { checkContract, checkSurface } from './surface.ts';

export interface VerifyOptions {
  url: string;
  credentials: Credentials;
  /** True if operations that call sites may be called. */
  live: boolean;
  only: RegExp | null;
  /** Contracts that callers use. If the service breaks these callers, failures are reported. */
  known?: Partial<Record<Surface, ComparableContract>>;
  /** Ends the checks, which then throw its reason. */
  signal?: AbortSignal;
}

/**
 * Checks a running service against the contract that it serves. Throws `CheckNotPossible` if the service cannot be
 * reached or rejects the credentials, and `NothingToCheck` if the pattern `only` matches no read operation.
 */
export async function verify(options: VerifyOptions): Promise<VerificationReport> {
  const { url, credentials, live, only, known = {}, signal } = options;
  const service = new VerifiedService(url, credentials, signal);
  const { status } = await service.call('GET', '/api/v2/sites?per_page=1');
  if (status === 401 || status === 403)
    throw new CheckNotPossible(`${url} refuses the credential with ${status}.`, status);
  const findings = new Findings();
  const session: Session = { service, findings, known: new Map() };
  const contracts: Contract[] = [];
  // REST v2 comes first, because its lists contain the values that calls of abilities need.
  for (const surface of [...SURFACES].reverse()) contracts.push(await checkContract(surface, known[surface], session));
  if (only !== null && !contracts.some((contract) => hasMatch(contract, only)))
    throw new NothingToCheck(`No operation that changes nothing has an ID that matches ${only.source}.`);
  for (const contract of contracts) await checkSurface(contract, session, { live, only });
  return { url, calls: service.calls, findings: findings.all };
}

function hasMatch(contract: Contract, only: RegExp): boolean {
  const { reads, left } = readOperationsOf(contract, false);
  return [...reads, ...left].some(({ id }) => only.test(id));
}
