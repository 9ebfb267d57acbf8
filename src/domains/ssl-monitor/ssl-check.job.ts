import { createUnvalidatedParser, defineJobKind, noInput, type JobKind, type NoInput } from '../../queue/index.ts';
import { ChildUnreachableError, type ChildLayer } from '../../shared/errors.ts';
import type { SslError } from './ssl-check.ts';
import type { SslState } from './ssl-state.ts';
import type { SslMonitorService } from './ssl-monitor-service.ts';

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
 * Checks one certificate per item. An interrupted check is repeated, which changes nothing if it was already recorded.
 * If the site cannot be reached, its state is recorded and the item fails.
 */
export const sslCheckJob = (service: Pick<SslMonitorService, 'check'>): SslCheckJob =>
  defineJobKind({
    name: 'ssl-check',
    about: 'site',
    input: noInput,
    result: parseSslCheckJobResult,
    whenCancelled: 'abort',
    retryPermission: 'checks:run',
    perform: async ({ subject, signal }) => {
      const { id, url, monitor } = await service.check(subject, { signal, oneOfMany: true });
      const { state, validTo, error } = monitor;
      const layer = error && LAYERS[error.code];
      if (error && layer) throw new ChildUnreachableError(layer, error.message);
      return { id, url, state, validTo };
    },
  });
