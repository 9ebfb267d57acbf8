import {
  createUnvalidatedParser,
  defineJobKind,
  noInput,
  PostponedItem,
  type JobKind,
  type NoInput,
} from '../../queue/index.ts';
import { MINUTE, SECOND, type Clock } from '../../shared/clock.ts';
import { ChildUnreachableError, type ChildLayer } from '../../shared/child-call-errors.ts';
import { LookupDelayedError, type SslError } from './ssl-check.ts';
import type { SslState } from './ssl-state.ts';
import type { SiteSslCheckResult, SslMonitorService } from './ssl-monitor-service.ts';

export interface SslCheckJobResult {
  id: number;
  url: string;
  state: SslState;
  validTo: number | null;
}

export const parseSslCheckJobResult = createUnvalidatedParser<SslCheckJobResult>();

export type SslCheckJob = JobKind<NoInput, SslCheckJobResult>;

/** Network layer of each error that prevents a check of the certificate. Any other error is a result of the check. */
const LAYERS: { [Code in SslError['code']]?: ChildLayer } = {
  dns_error: 'dns',
  connect_timeout: 'connect',
  connect_refused: 'connect',
  tls_handshake: 'tls',
  address_refused: 'connect',
};

/**
 * A lookup waits for the lookups of other hosts. Items that wait for hanging name servers would occupy the places of
 * the items that can be checked.
 */
const LOOKUP_WAIT = 30 * SECOND;
const PAUSE = 2 * MINUTE;
const ATTEMPTS = 4;

/**
 * Checks one certificate per item. An interrupted check is repeated, which changes nothing if it was already recorded.
 * If the site cannot be reached, its state is recorded and the item fails.
 */
export const sslCheckJob = (service: Pick<SslMonitorService, 'check'>, clock: Clock): SslCheckJob =>
  defineJobKind({
    name: 'ssl-check',
    about: 'site',
    input: noInput,
    result: parseSslCheckJobResult,
    whenCancelled: 'abort',
    retryPermission: 'checks:run',
    perform: async ({ subject, item, signal }) => {
      try {
        return checkResultOf(await service.check(subject, { signal, lookupWaitMs: LOOKUP_WAIT, oneOfMany: true }));
      } catch (error) {
        if (!(error instanceof LookupDelayedError) || item.attempt >= ATTEMPTS) throw error;
        return new PostponedItem(clock.now() + PAUSE);
      }
    },
  });

function checkResultOf({ id, url, monitor }: SiteSslCheckResult): SslCheckJobResult {
  const { state, validTo, error } = monitor;
  const layer = error && LAYERS[error.code];
  if (error && layer) throw new ChildUnreachableError(layer, error.message);
  return { id, url, state, validTo };
}
