import { asWritten, jobKind, noInput, type JobKind, type NoInput } from '../../queue/index.ts';
import { ChildUnreachableError, type ChildLayer } from '../../shared/errors.ts';
import type { SslError } from './ssl-check.ts';
import type { SslState } from './ssl-state.ts';
import type { SslMonitorService } from './ssl-monitor-service.ts';

/** What a check came to. */
export interface CheckedCertificate {
  id: number;
  url: string;
  state: SslState;
  validTo: number | null;
}

export const checkedCertificate = asWritten<CheckedCertificate>();

export type SslCheckJob = JobKind<NoInput, CheckedCertificate>;

/** Where a site stood in the way of a look at its certificate; what is wrong with one is a result like any other. */
const LAYERS: { [Code in SslError['code']]?: ChildLayer } = {
  dns_error: 'dns',
  connect_timeout: 'connect',
  connect_refused: 'connect',
  tls_handshake: 'tls',
  address_refused: 'connect',
};

/**
 * Checks the certificate of a site. After an interruption it is simply checked again: one that was recorded already
 * changes nothing the second time. The state of a site that could not be looked at is recorded, and its item fails.
 */
export const sslCheckJob = (service: Pick<SslMonitorService, 'check'>): SslCheckJob =>
  jobKind({
    name: 'ssl-check',
    about: 'site',
    input: noInput,
    result: checkedCertificate,
    whenCancelled: 'abort',
    perform: async ({ subject, signal }) => {
      const { id, url, monitor } = await service.check(subject, { signal, oneOfMany: true });
      const { state, validTo, error } = monitor;
      const layer = error && LAYERS[error.code];
      if (error && layer) throw new ChildUnreachableError(layer, error.message);
      return { id, url, state, validTo };
    },
  });
