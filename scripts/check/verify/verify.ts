import { SURFACES } from '../../contract/surfaces.ts';
import { readGeneratedDocuments } from '../changes/releases.ts';
import { Findings } from './findings.ts';
import type { Session } from './reads.ts';
import type { VerificationReport } from './report.ts';
import { VerifiedService, type Credentials } from './service.ts';
import { checkContract, checkSurface } from './surface.ts';

export interface VerifyOptions {
  url: string;
  credentials: Credentials;
  /** True if operations that call sites may be called. */
  live: boolean;
  /** Pattern of the operations to check, or null for all. */
  only: RegExp | null;
}

/** Checks a running service against the contract. Throws if it cannot be reached or rejects the credentials. */
export async function verify({ url, credentials, live, only }: VerifyOptions): Promise<VerificationReport> {
  const service = new VerifiedService(url, credentials);
  const { status } = await service.call('GET', '/api/v2/sites?per_page=1').catch((error: unknown) => {
    throw new Error(`${url} does not answer: ${(error as Error).message}.`, { cause: error });
  });
  if (status === 401 || status === 403) throw new Error(`${url} refuses the credential with ${status}.`);
  const findings = new Findings();
  const session: Session = { service, findings, known: new Map() };
  const ours = await readGeneratedDocuments();
  // Routes come first, because their lists contain the values that abilities need.
  for (const surface of [...SURFACES].reverse()) {
    const contract = await checkContract(surface, ours[surface], session);
    await checkSurface(contract, session, { live, only });
  }
  return { url, calls: service.calls, findings: findings.all };
}
