import { Router, type Request, type Response } from 'express';
import type { Caller } from '../shared/caller.ts';
import { isLimited } from '../shared/site-scope.ts';
import { ForbiddenError } from '../shared/errors.ts';
import { addressRefusal, type CredentialLimits } from './credential-limits.ts';
import { findCaller, isStorableCredential, readCredential } from './credentials.ts';
import type { NetworkLimit } from './network-limit.ts';
import type { HttpMetrics } from './metrics.ts';
import type { CredentialCheck } from './ports.ts';
import { allowOnlyReads } from './read-only-routes.ts';

export interface Readiness {
  ready: boolean;
  /** Result of the check of the embedded database file. A database server has none. */
  integrity?: 'unchecked' | 'ok' | 'damaged';
  reasons: Record<string, string>;
}

export interface HealthDeps {
  metrics: HttpMetrics;
  readiness: () => Promise<Readiness>;
  credentials: CredentialCheck;
  limits: CredentialLimits;
  failures: NetworkLimit;
}

const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;
const LOOPBACK_HOST = /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/i;
const FORWARDED = ['forwarded', 'via', 'x-real-ip', 'client-ip', 'true-client-ip', 'cf-connecting-ip'];

/** Endpoints for operators. They are not in the contract, because they describe the process and not the fleet. */
export function healthRouter({ metrics, readiness, credentials, limits, failures }: HealthDeps): Router {
  const router = Router();
  const mayKnow = async (request: Request): Promise<boolean | ForbiddenError> => {
    if (isLocal(request)) return true;
    const caller = await callerOf(request, credentials);
    if (caller) return addressRefusal(limits, caller, request) ?? fleetRefusal(caller) ?? true;
    // Failed credentials count as failed logins. Otherwise callers could guess credentials at these endpoints without a
    // limit.
    if (request.get('authorization') !== undefined) failures.record(request.ip ?? '');
    return false;
  };

  router.all(['/healthz', '/readyz', '/metrics'], allowOnlyReads);

  router.get('/healthz', (_request, response) => {
    response.json({ status: 'ok' });
  });

  router.get('/readyz', async (request, response) => {
    const { ready, ...known } = await readiness();
    const details = (await mayKnow(request)) === true ? known : {};
    response.status(ready ? 200 : 503).json({ status: ready ? 'ready' : 'not ready', ...details });
  });

  router.get('/metrics', async (request, response: Response) => {
    const answer = await mayKnow(request);
    if (answer instanceof ForbiddenError) throw answer;
    if (!answer) {
      response.set('WWW-Authenticate', 'Basic realm="sitefleet", Bearer realm="sitefleet"');
      const message = 'Metrics require a call from the loopback address or a credential.';
      response.status(401).json({ code: 'svc_unauthenticated', message, data: { status: 401 } });
      return;
    }
    response.type(metrics.registry.contentType).send(await metrics.registry.metrics());
  });

  return router;
}

const fleetRefusal = ({ sites }: Caller): ForbiddenError | undefined =>
  isLimited(sites)
    ? new ForbiddenError('svc_outside_limits', 'Metrics are about the whole fleet, and this credential is limited.')
    : undefined;

/** True if the call comes from this machine and not through a proxy on it, because anybody can call a proxy. */
function isLocal({ app, socket, headers }: Request): boolean {
  if (app.get('trust proxy') !== false || !LOOPBACK.test(socket.remoteAddress ?? '')) return false;
  const isForwarded = (name: string): boolean => name.startsWith('x-forwarded-') || FORWARDED.includes(name);
  return LOOPBACK_HOST.test(headers.host ?? '') && !Object.keys(headers).some(isForwarded);
}

async function callerOf(request: Request, credentials: CredentialCheck): Promise<Caller | null> {
  const credential = readCredential(request.get('authorization'));
  return credential !== null && isStorableCredential(credential) ? findCaller(credentials, credential) : null;
}
