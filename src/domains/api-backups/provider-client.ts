import { setTimeout as sleep } from 'node:timers/promises';
import { OutboundError, type Outbound, type OutboundFault, type OutboundResponse } from '../../outbound/outbound.ts';
import { SECOND, type Clock } from '../../shared/clock.ts';
import { BackupProviderError, InvalidError } from '../../shared/errors.ts';
import { parseRetryAfter } from '../../shared/retry-after.ts';
import type { FetchJson } from './provider.ts';

const CONNECT_TIMEOUT = 10 * SECOND;
const DEADLINE = 30 * SECOND;
const MAX_BYTES = 5 * 1024 * 1024;
/**
 * Longest wait after a status 429. If the provider asks for a longer one, the call fails, and the next run tries again.
 */
const MAX_WAIT = 60 * SECOND;
const ATTEMPTS = 7;

/**
 * The provider cannot be reached, does not accept the credentials or limits the number of requests. A further request
 * would fail too, while after any other `BackupProviderError` the next server may still be read.
 */
export class ProviderUnavailableError extends BackupProviderError {}

const NOT_REACHED: readonly OutboundFault[] = ['dns', 'connect', 'tls'];

interface ApiClientOptions {
  label: string;
  outbound: Pick<Outbound, 'request'>;
  clock: Clock;
  signal: AbortSignal;
}

/** Throws `svc_backup_provider_failed` with a message for the operator. */
export function createApiClient(base: string, { label, outbound, clock, signal }: ApiClientOptions): FetchJson {
  const send = async (path: string, headers: Readonly<Record<string, string>>): Promise<OutboundResponse> => {
    try {
      return await outbound.request({
        url: base.replace(/\/+$/, '') + path,
        method: 'GET',
        headers: { accept: 'application/json', ...headers },
        connectTimeoutMs: CONNECT_TIMEOUT,
        deadlineMs: DEADLINE,
        maxBytes: MAX_BYTES,
        maxRedirects: 0,
        signal,
      });
    } catch (error) {
      if (signal.aborted) throw error;
      if (!(error instanceof OutboundError || error instanceof InvalidError)) throw error;
      const isReached = error instanceof OutboundError && !NOT_REACHED.includes(error.fault);
      const ErrorOfFault = isReached ? BackupProviderError : ProviderUnavailableError;
      const message = isReached ? `${label} did not answer completely.` : `${label} could not be reached.`;
      throw new ErrorOfFault('svc_backup_provider_failed', message, {}, { cause: error });
    }
  };
  return async (path, headers) => {
    for (let attempt = 1; ; attempt++) {
      const answer = await send(path, headers);
      const { status } = answer;
      if (status >= 200 && status < 300) return parseProviderJson(answer, label);
      const wait = status === 429 ? retryDelayOf(answer.headers['retry-after'], attempt, clock.now()) : null;
      if (wait === null || wait > MAX_WAIT || attempt === ATTEMPTS) {
        const ErrorOfStatus = status === 401 || status === 429 ? ProviderUnavailableError : BackupProviderError;
        throw new ErrorOfStatus('svc_backup_provider_failed', statusMessage(label, status));
      }
      await sleep(wait, undefined, { signal });
    }
  };
}

/** Returns milliseconds. If there is no valid `Retry-After`, they double with each attempt. */
export const retryDelayOf = (retryAfter: string | string[] | undefined, attempt: number, now: number): number =>
  parseRetryAfter(retryAfter, now) ?? SECOND * 2 ** (attempt - 1);

function statusMessage(label: string, status: number): string {
  if (status === 401 || status === 403) return `${label} rejected the credentials (${status}).`;
  if (status === 429) return `${label} limits the number of requests (429). The next run tries again.`;
  return `${label} answered with the status ${status}.`;
}

function parseProviderJson({ body }: OutboundResponse, label: string): unknown {
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch (error) {
    const message = `${label} returned a response that is not JSON.`;
    throw new BackupProviderError('svc_backup_provider_failed', message, {}, { cause: error });
  }
}
