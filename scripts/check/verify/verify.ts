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
  /** Whether operations may be called that call sites. */
  live: boolean;
  /** Operations that are looked at; all with null. */
  only: RegExp | null;
}

/** Holds a running service against the contract. Throws when it cannot be reached, or does not take the credential. */
export async function verify({ url, credentials, live, only }: VerifyOptions): Promise<VerificationReport> {
  const service = new VerifiedService(url, credentials);
  const { status } = await service.call('GET', '/api/v2/sites?per_page=1').catch((error: unknown) => {
    throw new Error(`${url} does not answer: ${(error as Error).message}.`, { cause: error });
  });
  if (status === 401 || status === 403) throw new Error(`${url} refuses the credential with ${status}.`);
  const findings = new Findings();
  const session: Session = { service, findings, known: new Map() };
  const ours = await readGeneratedDocuments();
  // Routes first: their lists tell what exists, which abilities are asked about.
  for (const surface of [...SURFACES].reverse()) {
    const contract = await checkContract(surface, ours[surface], session);
    await checkSurface(contract, session, { live, only });
  }
  return { url, calls: service.calls, findings: findings.all };
}
