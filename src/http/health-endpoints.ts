import { Router, type Request, type Response } from 'express';
import { findCaller, isStorableCredential, readCredential } from './credentials.ts';
import type { LoginFailures } from './login-failures.ts';
import type { HttpMetrics } from './metrics.ts';
import type { CredentialCheck } from './ports.ts';

export interface Readiness {
  ready: boolean;
  /** What is the matter, by part. */
  reasons: Record<string, string>;
}

export interface HealthDeps {
  metrics: HttpMetrics;
  readiness: () => Promise<Readiness>;
  credentials: CredentialCheck;
  failures: LoginFailures;
}

const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;
/** Names under which this machine is called from itself. */
const LOOPBACK_HOST = /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/i;
/** What proxies write into what they pass on. */
const FORWARDED = ['forwarded', 'via', 'x-real-ip', 'client-ip', 'true-client-ip', 'cf-connecting-ip'];

/** Addresses for whoever runs the service. Outside the contract: they speak of the process, not of the fleet. */
export function healthRouter({ metrics, readiness, credentials, failures }: HealthDeps): Router {
  const router = Router();
  const mayKnow = async (request: Request): Promise<boolean> => {
    if (await trusted(request, credentials)) return true;
    // Not a place to try credentials out that the surfaces would count.
    if (request.get('authorization') !== undefined) failures.record(request.ip ?? '');
    return false;
  };

  router.get('/healthz', (_request, response) => {
    response.json({ status: 'ok' });
  });

  router.get('/readyz', async (request, response) => {
    const { ready, reasons } = await readiness();
    const details = (await mayKnow(request)) ? { reasons } : {};
    response.status(ready ? 200 : 503).json({ status: ready ? 'ready' : 'not ready', ...details });
  });

  router.get('/metrics', async (request, response: Response) => {
    if (!(await mayKnow(request))) {
      response.set('WWW-Authenticate', 'Basic realm="sitefleet", Bearer realm="sitefleet"');
      const message = 'Metrics are for the loopback address or a credential.';
      response.status(401).json({ code: 'svc_unauthenticated', message, data: { status: 401 } });
      return;
    }
    response.type(metrics.registry.contentType).send(await metrics.registry.metrics());
  });

  return router;
}

/** Called from this machine itself and not through a proxy on it, whose callers may be anybody. */
function isLocal({ app, socket, headers }: Request): boolean {
  // Where a proxy stands in front, whoever calls from this machine may be the proxy.
  if (app.get('trust proxy') !== false || !LOOPBACK.test(socket.remoteAddress ?? '')) return false;
  const isForwarded = (name: string): boolean => name.startsWith('x-forwarded-') || FORWARDED.includes(name);
  return LOOPBACK_HOST.test(headers.host ?? '') && !Object.keys(headers).some(isForwarded);
}

/** Called from this machine itself, or with a valid credential. */
async function trusted(request: Request, credentials: CredentialCheck): Promise<boolean> {
  if (isLocal(request)) return true;
  const credential = readCredential(request.get('authorization'));
  return (
    credential !== null && isStorableCredential(credential) && (await findCaller(credentials, credential)) !== null
  );
}
